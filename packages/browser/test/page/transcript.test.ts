import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openFor, paid, pending, respondWith, wallet } from '../support/checkoutPage.ts'
import { holdClock } from '../support/holdClock.ts'
import { page, screenOf } from '../support/shopPage.ts'
import { intent } from '../support/testIntents.ts'
import { startTranscript } from '../support/transcript.ts'

const introduction = `# The checkout by keyboard and screen reader

The checkout as a keyboard and a screen reader present it. \`payer\` is the key that is pressed, \`focus\` the element that the
focus moves to, \`aloud\` an announcement of a live region. Below each part is the content of
the screen. \`packages/browser/test/page/transcript.test.ts\` writes this page, in a real Chromium, and fails when it is no longer true.`

const detail = (name: string) => page.locator(`[data-detail=${name}]`)
const paidInFull = { ...paid, amount_received_units: 25_000_100, version: 9 }

test('the transcript is up to date', async () => {
  const parts = [introduction, await refusedThenPaid()]
  await page.reload()
  parts.push(await byQr())
  await page.reload()
  parts.push(await underpaid())
  await page.reload()
  parts.push(await expired())
  const file = join(import.meta.dirname, 'transcript.md')
  await expect(`${parts.join('\n\n')}\n`).toMatchFileSnapshot(file)
})

async function refusedThenPaid(): Promise<string> {
  const { arrive, press, meanwhile, text } = await startTranscript(
    page,
    'With a wallet that refuses once',
  )
  await openFor('a', intent(), { eth_requestAccounts: { refuse: 4001 } })
  await page.getByRole('button', { name: 'Test' }).waitFor()
  await arrive(screenOf('pay'))
  for (const key of ['Shift+Tab', 'Tab', 'Tab']) await press(key)
  await press('Enter', screenOf('problem'))
  await arrive(screenOf('problem'))
  await page.evaluate((account) => {
    Object.assign((window as unknown as { table: object }).table, {
      eth_requestAccounts: [account],
    })
  }, wallet.eth_requestAccounts[0])
  await press('Tab')
  await press('Enter', screenOf('sent'))
  await arrive(screenOf('sent'))
  meanwhile('The transaction is in a block.')
  respondWith('a', pending)
  await arrive(screenOf('confirming'))
  meanwhile('It has all the confirmations that it needs.')
  respondWith('a', paidInFull)
  await arrive(screenOf('paid'))
  for (const key of ['Tab', 'Tab', 'Enter']) await press(key)
  return text()
}

async function byQr(): Promise<string> {
  const { arrive, press, meanwhile, text } = await startTranscript(page, 'With the QR code')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await holdClock(page)
  await openFor('b', intent({ lane: 'manual' }))
  // Its content is loaded after the screen is drawn.
  await page.locator('.qr path').waitFor()
  await arrive(detail('qr'))
  for (const key of ['Tab', 'Tab', 'ArrowRight', 'Tab']) await press(key)
  await press('Enter', page.getByText('Copied', { exact: true }))
  await arrive(detail('qr'))
  meanwhile('The payment arrives, from wherever it was sent.')
  respondWith('b', paidInFull)
  await arrive(screenOf('paid'))
  await page.clock.resume()
  return text()
}

async function underpaid(): Promise<string> {
  const { arrive, meanwhile, text } = await startTranscript(page, 'Too little')
  await openFor('c', intent(), wallet)
  await page.getByRole('button', { name: 'Test' }).waitFor()
  await arrive(screenOf('pay'))
  meanwhile('A part of it arrives.')
  respondWith(
    'c',
    intent({ exceptions: ['underpaid'], amount_received_units: 20_500_000, version: 2 }),
  )
  await arrive(page.locator('.note', { hasText: 'This much is still to pay.' }))
  return text()
}

async function expired(): Promise<string> {
  const { arrive, meanwhile, press, text } = await startTranscript(page, 'Too late')
  await openFor('d', intent(), wallet)
  await page.getByRole('button', { name: 'Test' }).waitFor()
  await arrive(screenOf('pay'))
  meanwhile('Half an hour goes by.')
  respondWith('d', intent({ status: 'expired', version: 2 }))
  await arrive(screenOf('expired'))
  await press('Tab')
  await press('Enter')
  return text()
}
