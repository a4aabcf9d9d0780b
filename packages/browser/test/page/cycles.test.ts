import { expect, test } from 'vitest'
import { isFull } from '../../../../tests/support/tier.ts'
import { openMemory } from '../support/openMemory.ts'
import { setResponse, unfinished } from '../support/origins.ts'
import { close, open, openShop, page, type ShopWindow, screenOf } from '../support/shopPage.ts'
import { intent } from '../support/testIntents.ts'

/** How the checkouts of the cycles end, in rotation. */
const closings = [
  'at once',
  'loading',
  'drawn',
  'replaced',
  'opened twice',
  'wallets',
  'paying',
] as const

/** Opens and closes `rounds` checkouts one after the other, and returns the number of calls of each callback. */
function cycle(rounds: number) {
  return page.evaluate(
    async ({ rounds, closings }) => {
      const { openServiceModal, shop } = window as unknown as ShopWindow
      const drawn = (selector: string) =>
        new Promise<Element>((resolve) => {
          const look = () => {
            const host = [...document.body.children].find(({ shadowRoot }) => shadowRoot)
            const element = host?.shadowRoot?.querySelector(selector)
            if (element) resolve(element)
            else setTimeout(look)
          }
          look()
        })
      const provider = { request: () => new Promise<unknown>(() => {}) }
      const announce = (uuid: string) =>
        window.dispatchEvent(
          new CustomEvent('eip6963:announceProvider', {
            detail: { info: { uuid, name: uuid, icon: 'data:image/png;base64,' }, provider },
          }),
        )
      const counts: Record<string, number> = {}
      for (let round = 0; round < rounds; round += 1) {
        const close = closings[round % closings.length]
        const clientSecret = `pi_${round}_secret_${round}`
        let checkout = openServiceModal({
          clientSecret,
          wallets: close === 'paying' ? [{ name: 'Own', provider }] : [],
        })
        if (close === 'loading') await drawn('[data-screen]')
        if (close === 'drawn') await drawn('[data-screen=pay]')
        if (close === 'opened twice') {
          openServiceModal({ clientSecret })
          await drawn('[data-screen=pay]')
          openServiceModal({ clientSecret })
        }
        if (close === 'replaced') {
          const replaced = checkout
          if (round % 2) await drawn('[data-screen=pay]')
          checkout = openServiceModal({ clientSecret: `${clientSecret}_other` })
          await replaced.closed
        }
        if (close === 'wallets') {
          await drawn('[data-screen=pay]')
          announce('one')
          announce('two')
          announce('one')
        }
        if (close === 'paying') {
          const wallet = (await drawn('[part=wallet]')) as HTMLElement
          wallet.click()
          await drawn('[data-screen=wallet]')
        }
        checkout.close()
        checkout.close()
        await checkout.closed
        for (const [name] of shop.callbackCalls.splice(0)) counts[name] = (counts[name] ?? 0) + 1
        shop.checkouts = {}
      }
      return counts
    },
    { rounds, closings },
  )
}

/** The maximum. A leak grows in every batch, so the first batch without growth is the last. */
const batches = 8
/** In each batch. */
const roundsOfEach = isFull ? 24 : 8
/**
 * A leaked checkout is at least 20 kB; the limit is half of the leak in a batch if only one way of closing leaks. The engine's own
 * tables grow by about 50 kB at a time, in a batch of every three: the limit is above that.
 */
const heapLimit = roundsOfEach * 10_000

test.each(isFull ? (['import', 'script'] as const) : (['import'] as const))(
  'many checkouts, by %s, leave nothing in the page',
  async (by) => {
    await openShop({ by, isFresh: true })
    setResponse((secret) => intent({ id: secret, lane: 'sdk' }))
    const { memory, heapBytes } = await openMemory(page)
    // The first cycles load the modal and fill the browser's own caches.
    await cycle(4 * closings.length)
    await open('pi_seen_secret_0')
    await screenOf('pay').waitFor()
    const { alive } = await memory()
    // Every count detects an open checkout, so the zeros below are real.
    expect(Object.values(alive).every((count) => count > 0)).toBe(true)
    await close('pi_seen_secret_0')
    await page.evaluate(() => {
      const { shop } = window as unknown as ShopWindow
      shop.callbackCalls = []
      shop.checkouts = {}
    })
    await expect.poll(() => unfinished.size).toBe(0)
    const traces = () => page.evaluate(() => (window as unknown as ShopWindow).probe.traces())
    const before = await traces()
    // The browser collects an aborted request a moment later.
    const settled = async () => (await memory()).alive
    const none = Object.fromEntries(Object.keys(alive).map((kind) => [kind, 0]))
    await expect.poll(settled).toEqual(none)
    const was = await memory()

    const closed = { close: roundsOfEach * (closings.length + 1) }
    const growths: number[] = []
    do {
      const bytes = await heapBytes()
      expect(await cycle(roundsOfEach * closings.length)).toEqual(closed)
      await expect.poll(() => unfinished.size).toBe(0)
      growths.push((await heapBytes()) - bytes)
    } while (Math.min(...growths) >= heapLimit && growths.length < batches)
    await expect.poll(traces).toEqual(before)
    await expect.poll(settled).toEqual(none)
    const grown = async () => {
      const is = await memory()
      return { nodes: is.nodes > was.nodes, listeners: is.listeners > was.listeners }
    }
    await expect.poll(grown).toEqual({ nodes: false, listeners: false })
    expect(Math.min(...growths), `${growths}`).toBeLessThan(heapLimit)
  },
)
