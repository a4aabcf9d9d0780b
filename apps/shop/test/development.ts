import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { patience } from '../../../tests/support/patience.ts'
import { stack } from './stack.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/development.md'), 'utf8')

test('every command of docs/development.md runs unchanged, one after the other', async () => {
  const blocks = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code = '']) => code)
  expect(blocks.length).toBeGreaterThan(5)
  const folder = mkdtempSync(join(tmpdir(), 'payment-intents-docs-'))
  try {
    mkdirSync(join(folder, '.data'))
    const env = { PAYMENT_INTENTS_API_KEY: stack.apiKey, PAYMENT_INTENTS_BASE_URL: stack.apiUrl }
    const lines = Object.entries(env).map(([name, value]) => `${name}=${value}\n`)
    writeFileSync(join(folder, '.data/demo.env'), lines.join(''))
    const numbered = blocks.map((code, index) => `${code}\necho "block ${index + 1} is done"\n`)
    const script = `set -euo pipefail\n${numbered.join('')}`
    const { stdout } = await promisify(execFile)('bash', ['-c', script], {
      cwd: folder,
      env: { PATH: `${dirname(process.execPath)}:${process.env.PATH}` },
      timeout: 4 * patience,
    })
    expect(stdout).toContain(`block ${blocks.length} is done`)
    const shown = ['pending_confirmations', 'succeeded', 'requires_payment underpaid']
    for (const state of [...shown, 'requires_payment reorged', 'expired late']) {
      expect(stdout).toContain(` → ${state}\n`)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})
