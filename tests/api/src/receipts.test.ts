import { chainServerOfFile } from '@payment-intents/server/test/support/chain/chainServer.ts'
import { sign } from '@payment-intents/server/test/support/chain/signAuthorization.ts'
import type { Json } from '@payment-intents/server/test/support/server/testServer.ts'
import { beforeEach, expect, test, vi } from 'vitest'
import { intents, payer, shop } from './accounts.ts'
import { resetServer, type Side, startTestKit } from './sides.ts'

const shared = chainServerOfFile()
const settings = { matchPlainPrice: false }

// Payable amounts are drawn: every run draws the same.
beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
})

/** The receipts of an intent while two refunds of it are paid, by a signature and by a transfer made elsewhere. */
async function receiptsOf(side: Side): Promise<string[]> {
  const receipts: string[] = []
  const headers = { authorization: `Bearer ${side.apiKey}`, 'content-type': 'application/json' }
  async function send(path: string, body: object): Promise<Json> {
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    const response = await side.request(path, init)
    expect({ path, status: response.status }).toEqual({ path, status: 200 })
    return response.json()
  }
  const intent = await send(intents, { amount_units: 5_000_000, metadata: { order_id: '1042' } })
  async function look(): Promise<void> {
    const merchants = await side.request(`${intents}/${intent.id}/receipt`, { headers })
    const { client_secret } = intent
    const { receipt } = await send(`${intents}/resolve`, { client_secret })
    receipts.push(named(await merchants.text()), named(JSON.stringify(receipt)))
  }
  const refund = (amount_units: number) =>
    send('/v1/refunds', {
      ...{ payment_intent: intent.id, amount_units, destination: payer.address },
      ...{ reason: 'duplicate', metadata: { note: 'ours' } },
    })
  await side.pay(intent as never)
  const [canceled, signing, attached] = [
    await refund(30_000),
    await refund(10_000),
    await refund(20_000),
  ]
  await send(`/v1/refunds/${canceled.id}/cancel`, {})
  await look()
  const { chain_id: chainId, token_address: token, typed_data } = signing
  const authorization = { from: shop.address, ...typed_data.message }
  const signature = await sign({ chainId, token }, shop, authorization)
  await send(`/v1/refunds/${signing.id}/authorize`, { authorization, signature })
  await look()
  await side.submitRefund(signing, { authorization, signature })
  await look()
  const tx_hash = await side.payOut(20_000, payer.address)
  await send(`/v1/refunds/${attached.id}/attach`, { tx_hash })
  await side.confirmRefund(attached, 5)
  await look()
  return receipts
}

/** A receipt's text, with names in place of what is made up anew each time. */
function named(receipt: string): string {
  const names = new Map<string, string>()
  return receipt.replace(
    /0x[\da-f]{64}|\b(?:pi|re)_\w+|\d{4}-\d\d-\d\dT[\d:.]+Z/g,
    (value) => names.get(value) ?? names.set(value, `#${names.size + 1}`).get(value) ?? '',
  )
}

test('the test kit’s receipts are those of the server, byte for byte', async () => {
  const kit = await receiptsOf(startTestKit(settings))
  expect(kit).toEqual(await receiptsOf(await resetServer(shared, settings)))
  const statuses = kit.map((receipt) => {
    return (JSON.parse(receipt)?.refunds ?? []).map(({ status }: Json) => status)
  })
  expect(statuses).toEqual([
    ...[[], [], ['pending'], ['pending'], ['pending'], ['pending']],
    ...[
      ['succeeded', 'succeeded'],
      ['succeeded', 'succeeded'],
    ],
  ])
  expect(kit.join()).not.toMatch(/duplicate|ours/)
})
