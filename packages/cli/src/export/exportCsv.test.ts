import { createClient } from '@payment-intents/node'
import { expect, test } from 'vitest'
import { apiKey, json, serve } from '../../../node/test/testServer.ts'
import { event } from '../../../node/test/testWebhook.ts'
import { exportCsv } from './exportCsv.ts'

const period = { from: '2026-01-01T00:00:00.000Z', to: '2026-02-01T00:00:00.000Z' }
const intent = event.data.object

/** Its list of payment intents never ends. */
async function endless(metadata: object) {
  const requests: URLSearchParams[] = []
  const page = { data: Array.from({ length: 100 }, () => ({ ...intent, metadata })) }
  const { url } = await serve((response) => {
    requests.push(new URL(response.req.url ?? '', 'http://localhost').searchParams)
    json(200, { ...page, has_more: true })(response)
  })
  return { client: createClient({ apiKey, baseUrl: url }), requests }
}

test('a period is asked for, and pages only as they are written', async () => {
  const { client, requests } = await endless({ note: 'x'.repeat(1000) })
  let written = 0
  for await (const text of exportCsv(client, { what: 'payments', ...period })) {
    written += 1
    expect(text.length).toBeLessThan(200_000)
    if (written === 3) break
  }
  expect(requests.length).toBeLessThan(6)
  const [first] = requests
  expect(first?.get('created_after')).toBe(period.from)
  expect(first?.get('created_before')).toBe(period.to)
})

test('what a payer or a merchant wrote is no formula, and no other field', async () => {
  const { client } = await endless({ '=1': '",\r\n=2' })
  for await (const text of exportCsv(client, { what: 'payments', ...period })) {
    const [heading, first] = text.split(/(?<=[^n])\r\n(?!=)/)
    expect(heading).toMatch(/^id,created_at,status,exceptions,.*,amount_units,amount,.*,metadata$/)
    expect(first).toContain(`"{""=1"":""\\"",\\r\\n=2""}"`)
    break
  }
})
