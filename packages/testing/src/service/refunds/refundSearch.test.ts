import { createClient, type RefundSigner, toUnits } from '@payment-intents/node'
import { setupServer } from 'msw/node'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { find } from '../../../../cli/src/find/find.ts'
import { resultAsJson, resultAsText } from '../../../../cli/src/find/resultAsText.ts'
import { createTestService } from '../createTestService.ts'

const signer: RefundSigner = privateKeyToAccount(`0x${'59'.repeat(32)}`)
const wallets = {
  base: '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720',
  polygon: '0x14dC79964da2C08b23698B3D3cc7Ca32193d9955',
} as const
const buyer = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const service = createTestService({ gasless: true, wallets, refundWallets: [signer.address] })
const server = setupServer(...service.handlers)
const client = createClient({ apiKey: service.apiKey, baseUrl: service.baseUrl })
const { refunds, paymentIntents } = client

beforeAll(() => server.listen())
afterAll(() => server.close())
beforeEach(() => service.reset())

async function paid(chain: 'base' | 'polygon' = 'base', metadata = {}): Promise<string> {
  const { id } = await paymentIntents.create({ amount_units: toUnits('25.00'), chain, metadata })
  service.pay(id)
  return id
}

async function searchIds(text: string): Promise<string> {
  return resultAsText(await find(client, text, 'order_id'))
}

describe('find shows the next step of a refund', () => {
  test('below its payment', async () => {
    const payment_intent = await paid('base', { order_id: '1042' })
    const { id, links } = await refunds.create({ payment_intent, amount_units: toUnits('10.00') })
    expect(await searchIds('1042')).toMatch(
      new RegExp(
        `refund +10\\.00 USDC, ${id} requires_destination\n +Send links\\.page of the refund`,
      ),
    )
    await refunds.update(id, { destination: buyer })
    expect(await searchIds(links.page)).toContain(
      `10.00 USDC to ${buyer}, ${id} requires_signature`,
    )
    const refund = await refunds.retrieve(id)
    await refunds.sign(refund, { signer })
    expect(await searchIds(signer.address)).toMatch(/pending\n +The refund is signed: wait until/)
    service.confirmRefund(id)
    const { tx_hash } = await refunds.retrieve(id)
    expect(await searchIds(buyer)).toContain(`/tx/${tx_hash}`)
    expect(await searchIds(refund.refund_reference)).toContain(
      'The payment is complete, and refunded as above.',
    )
  })

  test('by itself, if it returns an unmatched transfer', async () => {
    await paid()
    const { id: transfer } = service.transfer({ amount_units: toUnits('7.77') })
    for (let block = 0; block < 5; block += 1) service.clock.advance(0)
    expect(await searchIds('7.77')).toContain(`client.refunds.create({ transfer: '${transfer}' })`)
    const { id } = await refunds.create({ transfer, destination: buyer })
    const json = resultAsJson(await find(client, id, 'order_id'))
    expect(json).toMatchObject({ payment_intents: [], refunds: [{ id, transfer }] })
    expect(JSON.stringify(json)).not.toMatch(/_link_|typed_data/)
    const text = await searchIds('7.77')
    expect(text).toContain('The transfer is refunded, see below.')
    expect(text).toContain(`${id}  requires_signature  7.77 USDC  refund of ${transfer}`)
  })

  test('which returns the excess', async () => {
    const payment_intent = await paid()
    service.pay(payment_intent, { amount_units: toUnits('3.00') })
    expect(await searchIds(payment_intent)).toContain('The payment has 3.00 USDC too much')
    const amount_units = toUnits('1.00')
    await refunds.create({ payment_intent, amount_units, destination: buyer })
    expect(await searchIds(payment_intent)).toContain('The payment has 2.00 USDC too much')
  })
})

type Row = Record<string, string>

async function exported(what: 'transfers' | 'refunds'): Promise<Row[]> {
  let csv = ''
  for await (const text of client.exports.csv({ what })) csv += text
  const [heading = '', ...rows] = csv.split('\r\n').slice(0, -1)
  // No field here has a comma.
  return rows.map((row) => {
    const fields = row.split(',')
    return Object.fromEntries(heading.split(',').map((name, index) => [name, fields[index] ?? '']))
  })
}

test('exported refunds add up with transfers, per chain, wallet and token', async () => {
  /** A ledger of each wallet. */
  const balances = new Map<string, bigint>()
  const move = (chain: string, wallet: string, units: number) => {
    const key = `${chain} ${wallet}`
    balances.set(key, (balances.get(key) ?? 0n) + BigInt(units))
  }
  for (const chain of ['base', 'polygon'] as const) {
    for (const amount_units of [toUnits('25.00'), toUnits('0.123457'), toUnits('10.000001')]) {
      const payment_intent = await paid(chain)
      move(chain, wallets[chain], toUnits('25.00'))
      const params = { payment_intent, amount_units, destination: buyer } as const
      const refund = await refunds.create(params, { signer })
      expect(service.confirmRefund(refund.id).status).toBe('succeeded')
      move(chain, signer.address, -amount_units)
    }
    // A partial refund paid by hand from the wallet, and a reserved refund of the rest.
    const payment_intent = await paid(chain)
    move(chain, wallets[chain], toUnits('25.00'))
    const amount_units = toUnits('2.000003')
    const manual = await refunds.create({ payment_intent, amount_units, destination: buyer })
    const tx_hash = service.payOut({ chain, amount_units, to: buyer }) as `0x${string}`
    await refunds.attach(manual.id, { tx_hash })
    service.confirmRefund(manual.id)
    move(chain, wallets[chain], -amount_units)
    await refunds.create({ payment_intent, destination: buyer })
  }

  const net = new Map<string, bigint>()
  const add = ({ chain, token_address, amount_units }: Row, wallet = '', sign = 1n) => {
    expect(token_address).toMatch(/^0x/)
    const key = `${chain} ${wallet}`
    net.set(key, (net.get(key) ?? 0n) + sign * BigInt(amount_units ?? ''))
  }
  for (const row of await exported('transfers')) if (row.payment_intent) add(row, row.to)
  for (const row of await exported('refunds')) if (row.tx_hash) add(row, row.from, -1n)
  expect(net).toEqual(balances)
})
