import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** An empty folder, until the test is over. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'payment-intents-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}
