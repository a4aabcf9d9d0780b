import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { find } from '@payment-intents/cli/src/find/find.ts'
import { createClient } from '@payment-intents/node'
import { describe, expect, test } from 'vitest'
import { patientCalls } from '../../../../tests/support/patience.ts'
import { isFull } from '../../../../tests/support/tier.ts'
import { fillLists, intentAt, transferAt } from '../support/database/fillLists.ts'
import { serverOfFile } from '../support/database/fixtures.ts'
import { storeTransfer } from '../support/database/storeTransfer.ts'
import { openShop } from '../support/server/merchantApi.ts'
import { createIntent, type Json, shopWallet } from '../support/server/testServer.ts'

const manifestPath = createRequire(import.meta.url).resolve('@payment-intents/cli/package.json')
const manifest = JSON.parse(readFileSync(manifestPath, 'utf8'))
const cli = join(dirname(manifestPath), manifest.bin['payment-intents'])

const server = serverOfFile()
/** Fills many pages of a list. */
const count = isFull ? 10_000 : 250

type Ran = { code: number; stdout: string; stderr: string }

async function run(apiKey: string, ...args: string[]): Promise<Ran> {
  const env = { PAYMENT_INTENTS_API_KEY: apiKey, PAYMENT_INTENTS_BASE_URL: server.url }
  const options = { env: { PATH: process.env.PATH, ...env }, maxBuffer: 64 * 1024 * 1024 }
  const ran = promisify(execFile)(process.execPath, [cli, ...args], options)
  const { code = 0, stdout, stderr } = await ran.catch((error) => error)
  return { code, stdout, stderr }
}

/** Opens a shop with a paid order, and with a transfer that nobody requested. */
async function openPaidShop() {
  const shop = await openShop(server)
  const { apiKey, merchantId, api } = shop
  const metadata = { order_id: 'A-7\u001b[2J' }
  const intent = await createIntent(server, apiKey, { amount_units: 25_000_000, metadata })
  await storeTransfer(server.db, { merchantId, intentId: intent.id, amount: 24_999_000 })
  const lost = await storeTransfer(server.db, { merchantId, amount: 3_210_000 })
  const { data } = await api.read('/v1/transfers')
  const [unmatched, credited] = data as [Json, Json]
  return { ...shop, intent, lost, unmatched, credited }
}

describe('find', () => {
  test('finds a payment by any of its data', async () => {
    const { apiKey, intent, credited } = await openPaidShop()
    const current = [
      intent.id,
      intent.client_secret,
      intent.metadata.order_id,
      intent.payment_reference,
      '25.00',
      '24.999 USDC',
      String(intent.payable_amount_units),
      credited.tx_hash,
      `https://sepolia.basescan.org/tx/${credited.tx_hash}`,
      credited.from,
      shopWallet.toLowerCase(),
    ]
    const client = createClient({ apiKey, baseUrl: server.url, ...patientCalls })
    for (const text of current) {
      const { payments } = await find(client, text, 'order_id')
      expect(payments, text).toMatchObject([
        { intent: { id: intent.id }, transfers: [{ id: credited.id }] },
      ])
    }
    const { code, stdout, stderr } = await run(apiKey, 'find', intent.id, '--json')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout)).toMatchObject({
      payment_intents: [{ id: intent.id, transfers: [{ id: credited.id }] }],
    })
  })

  test('prints what happened, and what to do', async () => {
    const { apiKey, intent, lost, unmatched, credited } = await openPaidShop()
    const { code, stdout } = await run(apiKey, 'find', credited.from)
    expect(code).toBe(0)
    expect(stdout).toContain(`${intent.id}  requires_payment  25.00 USDC  order A-7�[2J\n`)
    expect(stdout).toContain(`24.999 USDC from ${credited.from} at `)
    expect(stdout).toContain(`https://sepolia.basescan.org/tx/${credited.tx_hash}\n`)
    expect(stdout).toContain(`${lost}  unmatched  3.21 USDC  no_intent\n`)
    expect(stdout).toContain(`https://sepolia.basescan.org/tx/${unmatched.tx_hash}\n`)
    expect(stdout).toContain(`client.transfers.assign('${lost}', { payment_intent: 'pi_…' })`)
    expect(stdout.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
  })

  test('prints what it searched if it finds nothing, and exits with 3', async () => {
    const { apiKey } = await openShop(server)
    const otherShop = await openPaidShop()
    const client = createClient({ apiKey, baseUrl: server.url, ...patientCalls })
    for (const text of [
      otherShop.intent.id,
      otherShop.credited.tx_hash,
      otherShop.credited.from,
      '25.00',
    ]) {
      const result = await find(client, text, 'order_id')
      expect(result, text).toMatchObject({ payments: [], unmatched: [] })
    }
    const nothing = await run(apiKey, 'find', otherShop.intent.id)
    expect(nothing).toMatchObject({ code: 3, stdout: '' })
    expect(nothing.stderr).toMatch(/^Nothing was found\. The search was read as: .+\.\n$/)
    const { code, stdout } = await run(apiKey, 'find', '7', '--json')
    expect(code).toBe(3)
    expect(JSON.parse(stdout)).toEqual({
      searched: ['metadata order_id', 'amount of 7000000 units', 'amount of 7 units'],
      payment_intents: [],
      unmatched_transfers: [],
      refunds: [],
      has_more: false,
    })
  })

  test('reports a refused key, and exits with 1', async () => {
    const { code, stderr } = await run(`sk_test_${'0'.repeat(43)}`, 'find', '7')
    expect(code).toBe(1)
    expect(stderr).toMatch(/^401 api_key_invalid: /)
  })
})

test(`export writes each of ${count} payments and transfers of a period once`, async () => {
  const { apiKey, merchantId } = await openShop(server)
  await fillLists(server.db, merchantId, count)
  const period = ['export', '--from', '1970-01-01', '--to', '1970-01-02']

  const payments = await run(apiKey, ...period)
  expect(payments).toMatchObject({ code: 0, stderr: '' })
  const [heading, ...rows] = payments.stdout.split('\r\n').slice(0, -1)
  expect(heading).toBe(
    'id,created_at,status,exceptions,mode,chain,token,amount_units,amount,payable_amount_units,payable_amount,amount_received_units,amount_received,tx_hash,wallet,payment_reference,expires_at,succeeded_at,payment_link,metadata',
  )
  const idOf = (row: string) => row.split(',', 1)[0]
  const numbers = Array.from({ length: count }, (_, index) => count - index)
  expect(rows.map(idOf)).toEqual(numbers.map((n) => intentAt(n, count).id))
  expect(rows.at(-1)).toMatch(
    /^pi_\w+,\d{4}-\d\d-\d\dT[\d:.]+Z,canceled,,testnet,polygon,USDC,5000000,5\.00,24000001,24\.000001,0,0\.00,,0x7/,
  )

  const transfers = await run(apiKey, ...period, '--transfers')
  const [, ...transferRows] = transfers.stdout.split('\r\n').slice(0, -1)
  expect(transferRows.map(idOf)).toEqual(numbers.map((n) => transferAt(n, count).id))
  expect((await run(apiKey, 'export', '--from', '2000-01-01')).stdout).toBe(`${heading}\r\n`)
})
