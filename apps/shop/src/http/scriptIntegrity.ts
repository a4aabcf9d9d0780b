import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * The hash to which a page pins the checkout's script: that of the installed package. Browsers refuse any other script
 * of the service, so both must be updated together.
 *
 * @see https://www.w3.org/TR/SRI/
 */
export function scriptIntegrity(): string {
  const file = fileURLToPath(import.meta.resolve('@payment-intents/browser/script.js'))
  return `sha384-${createHash('sha384').update(readFileSync(file)).digest('base64')}`
}
