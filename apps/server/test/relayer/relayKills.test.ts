import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { startProcess, type TestProcess } from '../../../../tests/support/startProcess.ts'
import { isFull } from '../../../../tests/support/tier.ts'
import { until } from '../../../../tests/support/until.ts'
import { chainServerOfFile } from '../support/chain/chainServer.ts'
import { ofTest } from '../support/database/fixtures.ts'
import type { KillAt, ProcessSettings } from './support/relayerProcess.ts'
import { confirmations, startRelaying } from './support/relaying.ts'

const shared = chainServerOfFile()
const relaying = ofTest(
  () => startRelaying(shared),
  () => {},
)
/** The steps around which others can notice a kill. */
const namedSteps = [
  ...['eth_sendRawTransaction', 'eth_sendRawTransaction', 'insert-relayer-transactions', 'commit'],
  ...['commit', 'update-relayer-transactions', 'eth_call', 'find-broadcastable'],
]
/** The kills of a test, of which each other is at a named step. The full tier has 12 tests: none needs a longer timeout. */
const kills = 2 * namedSteps.length
const firsts = Array.from({ length: isFull ? 12 : 1 }, (_, test) => test * kills)
const folder = join(import.meta.dirname, '../..')
/** Inside `node_modules`, so that nothing else reads it. */
const bundle = join(folder, 'node_modules/.cache/test-relayer/dist/relayer.mjs')

beforeAll(async () => {
  await build({
    entryPoints: [join(import.meta.dirname, 'support/relayerProcess.ts')],
    outfile: bundle,
    ...{ bundle: true, format: 'esm', platform: 'node', target: 'node20', conditions: ['source'] },
    ...{ mainFields: ['module', 'main'], external: ['pg-native', 'undici'], logLevel: 'warning' },
    banner: {
      js: "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);",
    },
  })
  // Beside `dist`, as in the package, from which the version is read.
  await copyFile(join(folder, 'package.json'), join(bundle, '../../package.json'))
})

function startRelayer(killAt: KillAt | null = null): TestProcess {
  const settings: ProcessSettings = {
    ...{ databaseUrl: shared.server.db.pool.options.connectionString ?? '', killAt },
    ...{ rpcUrl: relaying.chain.url, key: relaying.key, confirmations },
  }
  const started = startProcess(bundle, { args: [JSON.stringify(settings)] })
  onTestFinished(async () => void (await started.end('SIGKILL')))
  return started
}

/**
 * Mines blocks until the condition holds. The signal ends it, since the next test uses the chain of a test that timed
 * out.
 */
function mineUntil(check: () => Promise<void>, signal?: AbortSignal): Promise<void> {
  return until(async () => {
    await relaying.chain.mine()
    signal?.throwIfAborted()
    await check()
  }, signal)
}

const expectAllFinal = async (count: number) => {
  const rows = await relaying.rows()
  expect(rows.filter(({ state }) => state === 'final')).toHaveLength(count)
  expect(rows.filter(({ state }) => state === 'pending' || state === 'mined')).toEqual([])
}

/** Chooses a kill around a named step, where most can go wrong, or at any step of a process that has something to submit. */
function killOf(index: number): KillAt {
  const isDone = index % 4 < 2
  if (index % 2 === 1) return { step: 1 + ((index * 37 + 11) % 97), isDone }
  return { step: namedSteps[(index / 2) % namedSteps.length] ?? 1, isDone }
}

test.for(firsts)(
  `killed ${kills} times, at any statement and call, it pays each authorization once: from kill %i`,
  async (first, { signal }) => {
    const points = Array.from({ length: kills }, (_, index) => killOf(first + index))
    for (const killAt of points) {
      await relaying.submitAuthorization()
      signal.throwIfAborted()
      const life = startRelayer(killAt)
      let how: number | NodeJS.Signals | undefined
      void life.ended.then((ending) => {
        how = ending
      })
      await mineUntil(async () => expect(how, life.output()).toBe('SIGKILL'), signal)
      // Nobody released the lease.
      await relaying.db.pool.query(`update relayer_leases set lease_until = '-infinity'`)
    }
    startRelayer()
    await mineUntil(() => expectAllFinal(kills), signal)
    expect(await relaying.check()).toEqual({ successes: kills, reverts: 0, empty: 0, used: kills })
  },
)

test('a second relayer takes over when the first is stopped, and the first does nothing twice', async () => {
  const firstRelayer = startRelayer()
  await firstRelayer.prints(/submits authorizations/)
  const secondRelayer = startRelayer()
  await relaying.submitAuthorization()
  await mineUntil(() => expectAllFinal(1))
  await secondRelayer.prints(/running/)
  process.kill(firstRelayer.pid, 'SIGSTOP')
  await relaying.submitAuthorization()
  await secondRelayer.prints(/submits authorizations/)
  process.kill(firstRelayer.pid, 'SIGCONT')
  await relaying.submitAuthorization()
  await mineUntil(() => expectAllFinal(3))
  await firstRelayer.prints(/RelayLeaseLost|Another process submits/)
  expect(await relaying.check()).toEqual({ successes: 3, reverts: 0, empty: 0, used: 3 })
})
