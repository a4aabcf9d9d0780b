import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { runs } from '../../../../tests/support/tier.ts'
import { openPage, type Page } from '../walks/openPage.ts'
import { stubBrowser } from '../walks/stubBrowser.ts'
import { createService } from '../walks/walkService.ts'
import { createWallet, type Kind, kinds, outcomes } from '../walks/wallet.ts'

/** The next event, by the payer or outside; tabs by number, the wallet about its oldest or newest request. */
const move = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('press' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('wallet' as const),
      outcome: fc.constantFrom(...outcomes),
      order: fc.constantFrom('oldest' as const, 'newest' as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      seconds: fc.constantFrom(1, 3, 31, 61, 61),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom(
        ...(['other tab', 'reload', 'reopen', 'hold connections'] as const),
        ...(['connect', 'see', 'confirm', 'outage', 'recovery', 'near miss'] as const),
        ...(['another device'] as const),
        ...(['relay', 'relay', 'refuse to relay', 'lose responses', 'keep responses'] as const),
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('back' as const, 'other method' as const, 'send instead' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom('cancel' as const, 'expire' as const) }),
  },
)

const walk = fc.record({
  kind: fc.constantFrom(...kinds),
  moves: fc.array(move, { minLength: 4, maxLength: 24 }),
})

const press = { do: 'press' } as const
const back = { do: 'back' } as const
const sign = { do: 'wallet', outcome: 'approve', order: 'oldest' } as const
/** Signatures that come late, once something else may pay. */
const examples: [{ kind: Kind; moves: Moves }][] = [
  [{ kind: 'signer', moves: [press, { do: 'wait', seconds: 61 }, { do: 'send instead' }, sign] }],
  [{ kind: 'signer', moves: [press, { do: 'wait', seconds: 61 }, press, sign, sign] }],
  [{ kind: 'signer', moves: [press, back, { do: 'other method' }, press, sign] }],
  [{ kind: 'signer', moves: [press, back, { do: 'near miss' }, { do: 'other tab' }, sign] }],
]

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

test('a payer who follows the primary actions pays at most once and sees the right outcome', async () => {
  const ends = new Map<string, number>()
  const property = fc.asyncProperty(walk, async ({ kind, moves }) => {
    const end = await go(kind, moves)
    ends.set(end, (ends.get(end) ?? 0) + 1)
  })
  await fc.assert(property, { seed: 20_251_122, numRuns: runs(300), examples })
  // The walks reach every end.
  expect([...ends.keys()].sort()).toEqual(
    expect.arrayContaining(['canceled', 'expired', 'requires_payment', 'succeeded']),
  )
})

function pressed(tab: Page): void {
  const primary = tab.primary()
  if (typeof primary !== 'function') throw new Error('There is no button.')
  primary()
}

type Moves = typeof walk extends fc.Arbitrary<{ moves: infer List }> ? List : never

async function go(kind: Kind, moves: Moves): Promise<string> {
  stubBrowser()
  const service = createService(/signer/.test(kind) ? 'gasless' : 'transfers')
  const wallet = createWallet(service, kind)
  const tabs: Page[] = [openPage(service, wallet)]
  let at = 0
  /** The payer remembers a payment by hand, and follows the advice about it. */
  let hasPaidManually = false
  /** The payer pays without gas on another device. */
  let elsewhere = false
  /** The wallet signs requests from before the payment by hand as well: they must not count. */
  const signLate = () => {
    while (wallet.openSignatures() > 0) wallet.settle('approve')
  }
  const flush = (ms = 0) => vi.advanceTimersByTimeAsync(ms)

  function check() {
    const detected = service.payments.filter(({ isDetected: detected }) => detected).length
    const relaying = service.isInFlight() ? 1 : 0
    const all = wallet.openRequests() + relaying + service.payments.length
    const undetected = all - detected
    expect(all, 'payments').toBeLessThanOrEqual(1)
    const open = tabs.filter((tab) => !tab.isClosed())
    // A signature may still be submitted: no other tab requests the money.
    if (open.some((tab) => tab.signs())) {
      for (const tab of open) expect(tab.screen().name).not.toBe('pay')
    }
    for (const tab of open) {
      const { name } = tab.screen()
      if (undetected === 0) continue
      expect(tab.text()).not.toMatch(/[Nn]othing is owed|start the payment again|lost/)
      if (name === 'expired' || name === 'canceled') {
        expect(tab.text()).toMatch(/[Dd]o not pay again/)
        if (elsewhere) continue
        // After a request here, the text covers an approval, future or past.
        if (!hasPaidManually) expect(tab.text()).toMatch(/decline it there|A payment was sent/)
      }
      if (hasPaidManually) continue
      // This browser has sent a request: no tab requests the money again.
      expect([
        'loading',
        'wallet',
        'requested',
        'problem',
        'sent',
        'expired',
        'canceled',
      ]).toContain(name)
      if (name === 'problem') expect(tab.primary()).toBeNull()
    }
  }

  await flush()
  for (const move of moves) {
    const tab = tabs[at]
    if (!tab) throw new Error('There is no such tab.')
    switch (move.do) {
      case 'press': {
        const primary = tab.isClosed() ? null : tab.primary()
        const isPay = tab.screen().name === 'pay'
        if (!primary || (isPay && hasPaidManually)) break
        if (typeof primary === 'function') primary()
        else {
          hasPaidManually = true
          service.pay(`0x${'ff'.repeat(32)}`, primary.byHand)
          signLate()
        }
        break
      }
      case 'near miss':
        // From an exchange that deducted its fee.
        if (tab.isClosed() || tab.screen().name !== 'pay' || hasPaidManually) break
        hasPaidManually = true
        service.pay(`0x${'ee'.repeat(32)}`, 24_000_000)
        if (tab.isByHand()) signLate()
        break
      case 'another device':
        if (tab.isClosed() || tab.screen().name !== 'pay' || hasPaidManually) break
        // A tab with an outage cannot know of it.
        if (tabs.some((move) => !move.isClosed() && move.hasOutage())) break
        elsewhere = service.submitElsewhere()
        break
      case 'wallet':
        wallet.settle(hasPaidManually ? 'decline' : move.outcome, move.order)
        break
      case 'send instead':
        if (!tab.isClosed()) tab.sendInstead()
        break
      case 'back':
        if (/wallet|problem/.test(tab.screen().name)) tab.back()
        break
      case 'other method':
        tab.switchPaymentMethod()
        break
      case 'other tab':
        at = 1 - at
        tabs[at] ??= openPage(service, wallet)
        break
      case 'reload':
      case 'reopen':
        if (move.do === 'reload') tab.leave()
        else tab.close()
        await flush()
        tabs[at] = openPage(service, wallet)
        break
      case 'hold connections':
        wallet.holdConnections()
        break
      case 'connect':
        wallet.connect()
        break
      case 'relay':
        service.relay('submit')
        break
      case 'refuse to relay':
        service.relay('refuse')
        break
      case 'lose responses':
      case 'keep responses':
        service.dropResponses(move.do === 'lose responses')
        break
      case 'see':
        service.seeAll()
        break
      case 'confirm':
        service.confirm()
        break
      case 'outage':
      case 'recovery':
        service.setDown(move.do === 'outage')
        break
      case 'cancel':
        service.end('canceled')
        break
      case 'expire':
        service.end('expired')
        break
      case 'wait':
        await flush(move.seconds * 1000)
    }
    await flush()
    if (hasPaidManually)
      while (wallet.openRequests() + wallet.openSignatures() > 0) wallet.settle('decline')
    await flush()
    check()
  }

  // Finally everything is approved and seen.
  wallet.connect()
  await flush()
  if (hasPaidManually)
    while (wallet.openRequests() + wallet.openSignatures() > 0) wallet.settle('decline')
  check()
  while (wallet.openRequests() + wallet.openSignatures() > 0) wallet.settle('approve')
  service.setDown(false)
  service.dropResponses(false)
  // The page now submits signatures from the outage.
  await flush(40_000)
  check()
  service.relay('submit')
  check()
  service.seeAll()
  service.confirm()
  await flush(40_000)
  const status = service.status()
  for (const tab of tabs.filter((tab) => !tab.isClosed())) {
    const shown = tab.screen()
    // The payer sent it, and confirms it.
    if (shown.name === 'near_miss' && !shown.isPayers) pressed(tab)
    const { name } = tab.screen()
    expect(name === 'paid').toBe(status === 'succeeded')
    if (service.payments.length === 0 || status === 'succeeded') continue
    // Money was sent that the order lacks: it was late, or a near miss.
    expect(name).not.toBe('pay')
    expect(tab.text()).toMatch(/do not pay again/i)
  }
  for (const tab of tabs) tab.leave()
  return status
}
