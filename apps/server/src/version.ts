import { readFileSync } from 'node:fs'

// Read, not bundled: the version is that of the package as it is installed.
const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8')

export const version: string = JSON.parse(manifest).version

/** Firewalls refuse requests without one, and their logs name who sent a request. */
export const userAgent = `payment-intents-server/${version}`
