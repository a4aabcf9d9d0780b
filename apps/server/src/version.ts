import { readFileSync } from 'node:fs'

// Read at run time, not bundled: the version is that of the installed package.
const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8')

export const version: string = JSON.parse(manifest).version

/** Firewalls refuse requests without a user agent, and their logs name the sender by it. */
export const userAgent = `payment-intents-server/${version}`
