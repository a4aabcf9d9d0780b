import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * What a page pins the checkout's script to: the one of the package that this shop has installed. A service
 * that sends any other is not run, so the two are updated together.
 *
 * @see https://www.w3.org/TR/SRI/
 */
export function scriptIntegrity(): string {
  const file = fileURLToPath(import.meta.resolve('@payment-intents/browser/script.js'))
  return `sha384-${createHash('sha384').update(readFileSync(file)).digest('base64')}`
}
