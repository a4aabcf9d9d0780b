import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isFull } from '../../../../tests/support/tier.ts'
import { addWallet, paid, pending, respondWith, secret, wallet } from '../support/checkoutPage.ts'
import { authorizeWith } from '../support/origins.ts'
import { open, openTab, page, type ShopWindow, screenOf, switchTo } from '../support/shopPage.ts'
import { authorization, gaslessIntent, intent } from '../support/testIntents.ts'

const moves = [
  ...(['press', 'press', 'press', 'back', 'QR', 'reload', 'reopen', 'other tab'] as const),
  ...(['approve', 'approve the newest', 'decline', 'fail', 'refuse as busy', 'restore'] as const),
  ...(['send instead', 'cancel', 'expire', 'see'] as const),
]
const random = fc.sample(fc.array(fc.constantFrom(...moves), { minLength: 6, maxLength: 14 }), {
  seed: 20_251_122,
  numRuns: isFull ? 50 : 2,
})

/** Signatures that come late, once something else may pay. */
const late: readonly (typeof random)[number][] = [
  ['press', 'restore', 'send instead', 'approve'],
  ['press', 'restore', 'press', 'approve the newest', 'approve'],
  ['press', 'fail', 'press', 'approve'],
  ['press', 'back', 'QR', 'press'],
]

/** Each open request in this browser's wallet; a closed page receives no response. */
type OpenRequest = { tab: typeof page; at: number; isAttached: boolean; signs: boolean }

/** The method of an account whose wallet may fail. A contract sends first, and signs if it cannot send. */
const walletKinds = ['transfer', 'signature', 'contract'] as const
const codes = { transfer: '0x', signature: '0x', contract: '0x6080' }

const walks = [
  ...late.map((walk) => ['signature', walk] as const),
  ...random.map((walk, at) => [walletKinds[at % 3] ?? 'transfer', walk] as const),
]

test.each(walks.map(([walletKind, walk], at) => [at, walletKind, walk.join(', '), walk] as const))(
  'walk %i in a browser, by %s, pays at most once and ends on the right screen: %s',
  async (_, walletKind, __, walk) => {
    let version = 1
    let status: 'requires_payment' | 'expired' | 'canceled' | 'pending_confirmations' =
      'requires_payment'
    const tabs = [page]
    let at = 0
    let openRequests: OpenRequest[] = []
    let payments = 0
    let detected = 0
    let hasPaidManually = false
    const offered = walletKind === 'transfer' ? intent : gaslessIntent
    /** The authorization that the service received and will broadcast. */
    let relayed = {}

    const publish = (changes: Parameters<typeof intent>[0]) => {
      version += 1
      respondWith(secret, offered({ ...relayed, ...changes, version }))
    }
    const arrive = async () => {
      await addWallet({
        ...wallet,
        ...{ eth_sendTransaction: 'queued', eth_signTypedData_v4: 'queued' },
        eth_getCode: codes[walletKind],
        'eth_call 0xe94a0102': `0x${'0'.repeat(64)}`,
      })
      await open(secret)
      await settled()
    }
    /** Number of known requests of each tab's document. */
    const pageNumbers = new Map<typeof page, number>()
    const collect = async () => {
      const queued = await page.evaluate(() => (window as unknown as Queue).queued ?? [])
      for (let at = pageNumbers.get(page) ?? 0; at < queued.length; at += 1) {
        const signs = queued[at] === 'eth_signTypedData_v4'
        openRequests.push({ tab: page, at, isAttached: true, signs })
      }
      pageNumbers.set(page, queued.length)
    }
    const settle = async (how: How, request = openRequests[0]) => {
      if (!request) return
      // A transfer that failed, or that a wallet was too busy for, may still be approved there.
      const isOver = /approve|decline/.test(how) || request.signs
      if (isOver) openRequests = openRequests.filter((openRequest) => openRequest !== request)
      // A signature pays once it is submitted.
      if (how === 'approve' && !request.signs) payments += 1
      if (!request.isAttached) return
      if (!isOver) request.isAttached = false
      await request.tab.evaluate(({ at, how }) => (window as unknown as Queue).queue[at]?.(how), {
        at: request.at,
        how,
      })
    }
    const check = async () => {
      const open = openRequests.filter(({ signs }) => !signs).length
      expect(payments + open, 'payments').toBeLessThanOrEqual(1)
      if (payments + open === detected) return
      const text = (await page.locator('.sheet').textContent()) ?? ''
      expect(text).not.toMatch(/[Nn]othing is owed|start the payment again/)
      if (hasPaidManually) return
      expect(await page.locator('.sheet').getAttribute('data-screen')).not.toBe('pay')
      if (status !== 'requires_payment') expect(text).toMatch(/do not pay again/i)
      else expect(await page.locator('.sheet .primary').count()).toBe(0)
    }

    authorizeWith(() => {
      if (status !== 'requires_payment' || 'authorization' in relayed) {
        return [409, { error: 'conflict', reason: 'payment_in_flight' }]
      }
      payments += 1
      relayed = { gasless: null, authorization: authorization() }
      publish({})
      return [200, {}]
    })
    respondWith(secret, offered())
    await arrive()
    for (const move of walk) {
      switch (move) {
        case 'press': {
          const screen = await page.locator('.sheet').getAttribute('data-screen')
          if (hasPaidManually && screen === 'pay') break
          if (screen === 'pay' && (await page.locator('.qr').isVisible())) {
            hasPaidManually = true
            payments += 1
            // The wallet signs the earlier requests as well: they must not count.
            for (const openRequest of openRequests.filter(({ signs }) => signs))
              await settle('approve', openRequest)
            break
          }
          const first = page.locator(screen === 'pay' ? '.sheet [part=wallet]' : '.sheet .primary')
          const label = (await first.count()) > 0 ? await first.first().textContent() : null
          if (label !== null && label !== 'Close' && label !== 'Done') await first.first().click()
          break
        }
        case 'back':
          if (await screenOf('wallet').isVisible()) {
            await page.locator('.sheet .quiet').last().click()
          }
          break
        case 'restore':
          await page.evaluate(() => {
            window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))
          })
          break
        case 'send instead': {
          const instead = page.getByRole('button', { name: 'Send it for a network fee instead' })
          if (await instead.isVisible()) await instead.click()
          break
        }
        case 'QR': {
          const tab = page.locator('#method-qr')
          if (await tab.isVisible()) await tab.click()
          break
        }
        case 'reload':
          openRequests = openRequests.map((openRequest) =>
            openRequest.tab === page ? { ...openRequest, isAttached: false } : openRequest,
          )
          pageNumbers.delete(page)
          await page.reload()
          await arrive()
          break
        case 'reopen':
          await page.evaluate(() => {
            const { shop } = window as unknown as ShopWindow
            for (const checkout of Object.values(shop.checkouts)) checkout.close()
          })
          await open(secret)
          break
        case 'other tab': {
          at = 1 - at
          const opened = tabs[at]
          if (opened) switchTo(opened)
          else {
            tabs[at] = await openTab()
            await arrive()
          }
          break
        }
        case 'approve':
        case 'decline':
        case 'fail':
        case 'refuse as busy':
          await settle(hasPaidManually ? 'decline' : move)
          break
        case 'approve the newest':
          await settle(hasPaidManually ? 'decline' : 'approve', openRequests.at(-1))
          break
        case 'cancel':
        case 'expire':
          if (status !== 'requires_payment') break
          if (move === 'cancel' && 'authorization' in relayed) break
          status = move === 'cancel' ? 'canceled' : 'expired'
          publish({ status })
          break
        case 'see':
          if (payments === detected) break
          detected = payments
          if (status === 'requires_payment') status = 'pending_confirmations'
          publish({ ...pending, status, amount_received_units: 25_000_000 })
      }
      await settled(ends[status])
      await collect()
      if (hasPaidManually) while (openRequests.length > 0) await settle('decline')
      await settled()
      await check()
    }

    while (openRequests.length > 0) await settle('approve')
    await settled()
    expect(payments).toBeLessThanOrEqual(1)
    if (payments === 0) return
    if (/expired|canceled/.test(status)) {
      publish({ ...pending, status, amount_received_units: 25_000_000 })
      await page.getByText('Do not pay again: contact Kiosk.').first().waitFor()
    } else {
      publish({ ...paid, amount_received_units: 25_000_000 })
      await screenOf('paid').waitFor()
    }
  },
)

type How = 'approve' | 'decline' | 'fail' | 'refuse as busy'
type Queue = { queue: ((how: How) => void)[]; queued?: string[] }

const ends = {
  requires_payment: null,
  pending_confirmations: 'confirming',
  expired: 'expired',
  canceled: 'canceled',
}

/** Waits until the screen no longer changes without a response, at `end` if passed. */
async function settled(end: string | null = null) {
  if (end) await screenOf(end).waitFor()
  await expect
    .poll(() =>
      page.evaluate(async () => {
        const host = document.querySelector('div[lang]')
        const sheet = () => host?.shadowRoot?.querySelector<HTMLElement>('.sheet')
        const shown = () => `${sheet()?.dataset.screen} ${sheet()?.dataset.detail}`
        const before = shown()
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
        return before === shown() && !/undefined|loading|connecting|switching|checking/.test(before)
      }),
    )
    .toBe(true)
}
