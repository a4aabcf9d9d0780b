import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startEmbedded } from '../db/embedded.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A real PostgreSQL for all tests of a run; each test file makes its own database in it. */
    clusterUrl: string
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'payment-intents-test-'))
  const cluster = await startEmbedded(dataDir)
  project.provide('clusterUrl', cluster.url)
  return async () => {
    await cluster.stop()
    await rm(dataDir, { recursive: true })
  }
}
