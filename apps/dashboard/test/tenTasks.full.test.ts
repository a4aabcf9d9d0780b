import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { drawLogo } from '../../../tests/support/pictures/drawLogo.ts'
import { until } from '../../../tests/support/until.ts'
import { storeTransfer } from '../../server/test/support/database/storeTransfer.ts'
import { startReceiver } from '../../server/test/support/server/webhookReceiver.ts'
import { openDesk } from './support/openDesk.ts'

test('ten tasks take the documented number of steps', async () => {
  const receiver = await startReceiver()
  receiver.replyWith(500)
  const desk = await openDesk({ webhooks: 'delivering' })
  const { page, create, server, merchant } = desk
  await create('/v1/webhook_endpoints', { url: receiver.url })
  const intentId = await create('/v1/payment_intents', {
    ...{ amount_units: 31_500_000, metadata: { order_id: 'A-1042' } },
  })
  await storeTransfer(server.db, { merchantId: merchant.id, intentId, amount: 31_500_000 })
  await server.db.pool.query(
    `update payment_intents set status = 'succeeded', amount_received_units = amount_units where id = $1`,
    [intentId],
  )
  // The transfer in block 17 has many confirmations.
  await server.db.pool.query(
    `insert into chain_cursors (chain_id, scanned_to, scanned_timestamp, scanned_at, head, reread_to)
     values (84532, 100, extract(epoch from now())::bigint, now(), 100, '{100,100}')`,
  )
  await until(() => expect(receiver.received.length).toBeGreaterThan(0))
  await page.goto(await desk.signInLink())
  await desk.heading('Overview')

  let steps = 0
  const step = async (action: Promise<unknown>) => {
    await action
    steps += 1
  }
  const click = (role: 'button' | 'link', name: string, within: Locator | typeof page = page) =>
    step(within.getByRole(role, { name, exact: true }).last().click())
  const fill = (label: string, text: string) => step(page.getByLabel(label).first().fill(text))
  const openPayment = async () => {
    await click('link', 'Payments')
    await step(page.getByRole('searchbox').fill('A-1042'))
    await step(page.keyboard.press('Enter'))
    await desk.heading('A-1042')
  }
  const tasks: Record<string, () => Promise<unknown>> = {
    'find a payment': openPayment,
    async 'refund a payment'() {
      await openPayment()
      await click('button', 'Refund')
      await click('button', 'Refund', page.getByRole('dialog'))
      await page.getByText('Send this link to the payer alone').waitFor()
    },
    async 'export a month'() {
      await step(page.getByLabel('Period').selectOption('30 days'))
      await Promise.all([page.waitForEvent('download'), click('button', 'Payments')])
    },
    async 'roll a key'() {
      await click('link', 'Developers')
      await click('link', 'API keys')
      await click('button', 'Roll')
      await click('button', 'Roll', page.getByRole('dialog'))
      await page.getByText('It is shown once').waitFor()
    },
    async 'see a failed webhook'() {
      await click('link', 'Developers')
      await step(page.getByRole('link', { name: receiver.url }).click())
      await page.locator('td').getByText('500').first().waitFor()
    },
    async 'send it again'() {
      await server.db.pool.query(`update webhook_deliveries set due_at = now() + interval '1 hour'`)
      await openPayment()
      await click('button', 'Send again')
      await page.getByRole('button', { name: 'Queued' }).first().waitFor()
    },
    async 'invite somebody'() {
      await click('link', 'Settings')
      await click('link', 'People')
      await page.getByRole('heading', { name: 'Invite somebody' }).waitFor()
      await fill('Name', 'Bob')
      await click('button', 'Invite somebody')
      await page.getByText('Link for the invited person').waitFor()
    },
    async 'make a payment link'() {
      await click('link', 'Payment links')
      await click('button', 'New link')
      await fill('What it is for', 'Guitar lesson')
      await fill('Amount in USDC', '40')
      await click('button', 'New link')
      await page.getByRole('heading', { name: 'Share it' }).waitFor()
    },
    async 'change the logo'() {
      await click('link', 'Settings')
      const logo = { name: 'logo.png', mimeType: 'image/png', buffer: drawLogo() }
      await step(page.getByLabel('Logo').setInputFiles(logo))
      await step(page.getByRole('button', { name: 'Save' }).first().click())
      await page.getByText('You have one').waitFor()
    },
    async 'see what needs attention'() {
      await click('link', 'Needs you')
      await desk.heading('Needs you')
    },
  }
  const counted: Record<string, number> = {}
  try {
    for (const [name, run] of Object.entries(tasks)) {
      await page.goto(desk.url)
      await desk.heading('Overview')
      steps = 0
      await run()
      counted[name] = steps
    }
  } finally {
    await desk.close()
    await receiver.close()
  }
  expect(documented()).toEqual(counted)
})

/** The documented number of steps of each task. */
function documented(): Record<string, number> {
  const file = join(import.meta.dirname, '../../../docs/dashboard.md')
  const rows = readFileSync(file, 'utf8').matchAll(/^\| ([a-z ]+?) *\| *(\d+) *\| *[\d–]+ *\|$/gm)
  return Object.fromEntries([...rows].map(([, task, steps]) => [task, Number(steps)]))
}
