import { expect, test } from 'vitest'
import { patience } from '../../../../tests/support/patience.ts'
import { isFull } from '../../../../tests/support/tier.ts'
import { holdAt, setResponse, unfinished } from '../support/origins.ts'
import {
  callbackCalls,
  close,
  open,
  openShop,
  page,
  type ShopWindow,
  screenOf,
} from '../support/shopPage.ts'
import { gaslessIntent, intent, txHash } from '../support/testIntents.ts'
import { type AwaitPoints, installAwaitPoints, type Stop } from '../walks/awaitPoints.ts'
import { type Journey, journeys } from '../walks/journeys.ts'

type AwaitWindow = ShopWindow & { awaitPoints: AwaitPoints }

/** Where earlier tests closed a checkout. Journeys start alike; the quick tier closes each place once. */
const closedAt = new Set<string>()

/**
 * The gates at which a journey is closed: all, or in the quick tier those that no earlier journey reached the
 * same way.
 */
function awaitPointsToClose(names: readonly string[]): number[] {
  return names.flatMap((name, number) => {
    const times = names.slice(0, number).filter((other) => other === name).length
    const place = `${name} (${times}) after ${names[number - 1]}`
    const isNew = !closedAt.has(place)
    closedAt.add(place)
    return isNew || isFull ? [number] : []
  })
}

/** Just before the gate opens and just after; in the quick tier by turns, so that each place is closed once. */
function momentsOf(number: number, index: number): [gate: number, moment: 'before' | 'after'][] {
  const moments = ['before', 'after'] as const
  return moments.flatMap((moment, at) => (isFull || index % 2 === at ? [[number, moment]] : []))
}

test.each(journeys)(
  'leaves nothing when it is closed at any point where it waits: $name',
  async (journey) => {
    await openShop({ by: 'script', motion: 'no-preference', before: installAwaitPoints })
    serve(journey)
    const awaitPoints = await page.evaluate(
      (journey) => (window as unknown as AwaitWindow).awaitPoints.walk(journey),
      journey,
    )
    expect(awaitPoints).toContain('response of resolve')

    const stops = await page.evaluate(
      async ({ journey, places, patience }) => {
        const { awaitPoints } = window as unknown as AwaitWindow
        const stops = []
        for (const [number, moment] of places) {
          stops.push(await awaitPoints.stop(journey, number, moment, patience))
        }
        return stops
      },
      { journey, places: awaitPointsToClose(awaitPoints).flatMap(momentsOf), patience },
    )

    expect(stops.flatMap(faultsOf)).toEqual([])
    expect(
      await page.evaluate(() => (window as unknown as AwaitWindow).awaitPoints.failures),
    ).toEqual([])
    await expect.poll(() => unfinished.size).toBe(0)
  },
)

test.each([
  ['headers', 'import'],
  ['body', 'script'],
  ['modal', 'import'],
  ['messages', 'import'],
  ['messages', 'script'],
] as const)('leaves nothing when it is closed while it loads the %s, by %s', async (at, by) => {
  await openShop({ by })
  const traces = () => page.evaluate(() => (window as unknown as ShopWindow).probe.traces())
  const before = await traces()
  const hold = holdAt(at)
  await open('pi_1_secret_1', { locale: 'de' })
  await hold.reached
  await close('pi_1_secret_1')
  hold.release()
  await expect.poll(() => unfinished.size).toBe(0)
  // The next checkout takes the same path, after the held response.
  await open('pi_2_secret_2', { locale: 'de' })
  await screenOf('pay').waitFor()
  await close('pi_2_secret_2')
  expect(await callbackCalls()).toEqual([
    ['close', 'pi_1_secret_1'],
    ['close', 'pi_2_secret_2'],
  ])
  await expect.poll(traces).toEqual(before)
})

test('reports no error of loading the modal once it is closed', async () => {
  await openShop({ by: 'import' })
  let arrived = () => {}
  const requested = new Promise<void>((resolve) => {
    arrived = resolve
  })
  let fail = () => {}
  const failing = new Promise<void>((resolve) => {
    fail = resolve
  })
  await page.route(/modal-/, async (route) => {
    arrived()
    await failing
    await route.abort()
  })
  await open('pi_1_secret_1')
  await requested
  await close('pi_1_secret_1')
  const failed = page.waitForEvent('requestfailed', (request) => /modal-/.test(request.url()))
  fail()
  await failed
  // The next checkout reports the error; the first would have done so before.
  await open('pi_2_secret_2')
  await expect.poll(async () => (await callbackCalls()).length).toBe(2)
  expect((await callbackCalls()).map(([name, secret]) => `${name} ${secret}`)).toEqual([
    'close pi_1_secret_1',
    'error pi_2_secret_2',
  ])
})

function faultsOf({ at, callbacks, callsAfter, remainingTimers, remainingTraces }: Stop): string[] {
  return [
    ...(callbacks.at(-1) === 'close' ? [] : [`${at}: onClose is not last: ${callbacks}`]),
    ...(new Set(callbacks).size === callbacks.length ? [] : [`${at}: called twice: ${callbacks}`]),
    ...callsAfter.map((method) => `${at}: the wallet receives ${method}`),
    ...(remainingTimers ? [`${at}: ${remainingTimers} timers run on`] : []),
    ...remainingTraces.map((trace) => `${at}: leaves ${trace}`),
  ]
}

/** Returns the intent's versions in order (waiting, seen, paid) and holds after the last. */
function serve({ responseCount, announced, gasless }: Journey) {
  const versions = [
    gasless ? gaslessIntent() : intent(announced ? { manual: null } : {}),
    intent({ status: 'pending_confirmations', tx_hash: txHash, version: 2 }),
    intent({ status: 'succeeded', tx_hash: txHash, version: 3 }),
  ]
  setResponse((_, afterVersion) => versions[Math.min(afterVersion, responseCount - 1)] ?? 404)
}
