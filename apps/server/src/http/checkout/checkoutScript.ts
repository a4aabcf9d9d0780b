import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type StaticFile, staticFile } from '../transport/staticFile.ts'

export function checkoutScript(): StaticFile {
  const path = fileURLToPath(import.meta.resolve('@payment-intents/browser/checkoutPage.js'))
  return staticFile('text/javascript; charset=utf-8', readFileSync(path))
}
