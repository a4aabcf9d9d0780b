import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, type ExpectStatic, expect, inject, test } from 'vitest'
import { launchChromium } from '../../support/launchChromium.ts'
import type {} from '../../support/startPostgres.ts'
import { type Appearance, dress } from './appearance.ts'
import { catalogue, failures } from './catalogue.ts'
import { detours } from './detours.ts'
import type { Entry } from './entry.ts'
import { accessibilityFaults, actionsOf, cutElements } from './inspect.ts'
import { startWorld, type World } from './screensWorld.ts'
import { startWalk, type Walk } from './walk.ts'
import { walkTo } from './walkTo.ts'

let browser: Browser
let world: World

beforeAll(async () => {
  browser = await launchChromium()
  world = await startWorld(browser, { clusterUrl: inject('clusterUrl') })
})

afterAll(async () => {
  await browser?.close()
  await world?.stop()
})

test('every error code has the screen that is named for it', () => {
  const shown = catalogue.map(({ name, code }) => [code, name])
  for (const [code, name] of Object.entries(failures)) expect(shown).toContainEqual([code, name])
  expect(new Set(catalogue.map(({ name }) => name)).size).toBe(catalogue.length)
})

const [together, alone] = [undefined, 'by hand'].map((chain) =>
  catalogue.filter((entry) => entry.chain === chain),
)

describe.concurrent('on a chain that goes on by itself', () => {
  test.for(together ?? [])('$name', (entry, { expect }) => walkThrough(entry, expect))
})

describe.concurrent('a payment goes through with a wallet that', () => {
  test.for(detours)('$name', async (detour) => {
    const walk = await startWalk(world, detour)
    await walk.pay()
    await walk.wallet.untilReplied(detour.heading)
    await untilPaid(walk)
    await walk.end()
  })
})

describe('block by block', () => {
  test.for(alone ?? [])('$name', (entry, { expect }) => walkThrough(entry, expect))
})

async function walkThrough(entry: Entry, expect: ExpectStatic): Promise<void> {
  await walkTo(world, entry, {}, async (walk) => {
    const { page } = walk
    await page.getByRole('heading', { level: 2, name: entry.heading, exact: true }).waitFor()
    const status = page.getByRole('status')
    if (entry.announced) await status.getByText(entry.announced, { exact: true }).waitFor()
    else expect((await status.allTextContents()).join('')).toBe('')
    if (entry.code) {
      const expected = { code: entry.code, recoverable: entry.kind !== 'end' }
      await expect.poll(walk.error).toMatchObject(expected)
    }
    for (const appearance of ['light', 'phone', 'narrow', 'dark'] satisfies Appearance[]) {
      await dress(walk, appearance)
      expect.soft(await cutElements(page), appearance).toEqual([])
      // A phone has the elements of `dark`, in the colours of `light`.
      if (appearance === 'narrow') continue
      expect.soft(await accessibilityFaults(page), appearance).toEqual([])
    }
    if (entry.kind === 'payable') expect(await actionsOf(page).count()).toBeGreaterThan(0)
    if (entry.kind === 'payable' || entry.kind === 'trying') await goForward(walk, entry)
    if (entry.kind === 'held') expect(await page.locator('.primary').count()).toBe(0)
    if (entry.kind === 'end') {
      const ends = ['expired', 'canceled', 'not_found', 'unknown_token', 'recipient_blocked']
      expect(ends).toContain(entry.screen === 'problem' ? entry.detail : entry.screen)
    }
    expect(complaintsOf(walk, entry)).toEqual([])
  })
  await walkTo(world, entry, { locale: 'ar' }, async (walk) => {
    expect.soft(await cutElements(walk.page), 'right to left').toEqual([])
    expect.soft(await accessibilityFaults(walk.page), 'right to left').toEqual([])
    expect(complaintsOf(walk, entry)).toEqual([])
  })
}

/** Presses what is offered first, and pays. */
async function goForward(walk: Walk, entry: Entry): Promise<void> {
  const { page, world } = walk
  await entry.mend?.(walk)
  walk.wallet.reform()
  await world.runChain('by itself')
  if (entry.kind === 'payable') await actionsOf(page).first().click()
  await untilPaid(walk)
}

/** Picks the wallet wherever the checkout requires it, and makes the blocks that confirm the payment. */
async function untilPaid({ page, reach, world }: Walk): Promise<void> {
  const wallet = page.locator('.wallets button').first()
  const under = page.locator(
    ':is([data-screen=sent], [data-screen=confirming], [data-screen=paid])',
  )
  await wallet.or(under).waitFor()
  if (await wallet.isVisible()) await wallet.click()
  await under.waitFor()
  await world.help('chain/mine', { blocks: 5 })
  await reach('paid')
}

function complaintsOf({ complaints }: Walk, { failsRequests }: Entry): readonly string[] {
  const expected = /^Failed to load resource/
  return failsRequests ? complaints.filter((line) => !expected.test(line)) : complaints
}
