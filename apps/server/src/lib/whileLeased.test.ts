import { expect, onTestFinished, test } from 'vitest'
import { until } from '../../../../tests/support/until.ts'
import { type LeasedWork, whileLeased } from './whileLeased.ts'

const outage = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })

/** Runs until the test ends, with a lease that is always free. Records each step. */
function start(parts: Partial<LeasedWork<string>>) {
  const steps: string[] = []
  const note = (step: string) => async () => void steps.push(step)
  const controller = new AbortController()
  const done = whileLeased<string>(
    {
      acquire: async () => 'lease',
      renew: note('renew'),
      release: note('release'),
      work: note('work'),
      failed: (_error, failures) => void steps.push(`failed ${failures}`),
      database: { report: () => void steps.push('reported') },
      ...{ renewMs: 1, idleMs: 1, random: () => 0 },
      ...parts,
    },
    controller.signal,
  )
  const stop = () => {
    controller.abort()
    return done
  }
  onTestFinished(stop)
  return { steps, stop, count: (step: string) => steps.filter((name) => name === step).length }
}

test('a lease is renewed during a step of the work, and not after its release', async () => {
  const [working, renewing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let renewals = 0
  const { steps, stop } = start({
    work: () => working.promise,
    async renew() {
      renewals += 1
      if (renewals < 3) return
      await renewing.promise
      steps.push('renewed')
    },
  })
  await until(() => expect(renewals).toBeGreaterThanOrEqual(3))
  const stopped = stop()
  working.resolve()
  await new Promise(setImmediate)
  expect(steps).toEqual([])
  renewing.resolve()
  await stopped
  expect(steps).toEqual(['renewed', 'release'])
})

test('a failure releases the lease, and counts as the first again after a success', async () => {
  let runs = 0
  const { steps, count } = start({
    async work(_lease, succeeded) {
      runs += 1
      if (runs === 2) succeeded()
      throw new Error('no provider')
    },
  })
  await until(() => expect(count('release')).toBeGreaterThanOrEqual(2))
  expect(steps.slice(0, 4)).toEqual(['failed 1', 'release', 'failed 1', 'release'])
})

test('a failure of the database is reported, and the retry is soon', async () => {
  const { steps, count } = start({ work: () => Promise.reject(outage) })
  // With a backoff this would take minutes.
  await until(() => expect(count('reported')).toBeGreaterThanOrEqual(12))
  expect(steps.slice(0, 4)).toEqual(['reported', 'release', 'reported', 'release'])
})

test('work continues if the lease can be neither released nor renewed', async () => {
  let runs = 0
  const { stop } = start({
    renew: () => Promise.reject(outage),
    release: () => Promise.reject(outage),
    async work() {
      runs += 1
    },
  })
  await until(() => expect(runs).toBeGreaterThanOrEqual(3))
  await stop()
})
