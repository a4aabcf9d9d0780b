import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startEmbedded } from '../postgres/embedded.ts'
import { doctor } from './doctor.ts'

/** No provider listens there. */
const RPC_URL_BASE_TESTNET = 'http://127.0.0.1:1'

test('starts an embedded PostgreSQL that does not run, says so, and stops it again', async () => {
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'payment-intents-doctor-'))
  onTestFinished(() => rm(DATA_DIR, { recursive: true }))
  const check = async () => {
    const findings = await doctor({ DATA_DIR, RPC_URL_BASE_TESTNET })
    return findings.flatMap(({ check, summary: result }) => (check === 'database' ? [result] : []))
  }
  const label = `the embedded PostgreSQL in ${DATA_DIR}`
  const cluster = await startEmbedded(DATA_DIR)
  expect(await check()).toEqual([`${label} responds`])
  expect(await cluster.restart()).toBe(false)
  await cluster.stop()
  expect(await check()).toEqual([`${label}, started for this check as no server runs it, responds`])
  expect(await cluster.restart()).toBe(true)
  await cluster.stop()
})
