import { find } from '@payment-intents/cli/src/find/find.ts'
import { type Client, createClient, type ExportCsv } from '@payment-intents/node'
import type { DevAccount } from '@payment-intents/testing'
import { expect, test } from 'vitest'
import { patientCalls } from '../../../../tests/support/patience.ts'
import { refundingOfTest } from '../support/server/refunding.ts'
import type { Json } from '../support/server/testServer.ts'

const refunding = refundingOfTest()
const { reader, chain, paid, refund, read, signedBy, authorize, submit, send } = refunding

const treasury = () => chain.accounts[7] as DevAccount

function merchantClient(): Client {
  const { apiKey } = reader.merchant
  return createClient({ apiKey, baseUrl: reader.server.url, ...patientCalls })
}

async function balanceOf(address: string): Promise<bigint> {
  const data = `0x70a08231${address.slice(2).padStart(64, '0')}`
  return BigInt(await chain.rpc<string>('eth_call', [{ to: chain.token, data }, 'latest']))
}

/** Signs a refund, and mines the transaction. */
async function payRefund(created: Json): Promise<string> {
  const signed = await signedBy(created)
  await authorize(created, signed)
  return submit(signed)
}

async function exported(label: ExportCsv['what']): Promise<Record<string, string>[]> {
  let csv = ''
  for await (const text of merchantClient().exports.csv({ what: label })) csv += text
  const [heading = '', ...rows] = csv.split('\r\n').slice(0, -1)
  // No field has a comma.
  return rows.map((row) => {
    const fields = row.split(',')
    return Object.fromEntries(heading.split(',').map((name, index) => [name, fields[index] ?? '']))
  })
}

type Row = Readonly<Record<string, string>>

/** The sum of units, by chain, wallet and token. */
function sumOf(rows: readonly Row[], walletOf: (row: Row) => string | undefined) {
  const sums = new Map<string, bigint>()
  for (const row of rows) {
    const key = [row.chain_id, walletOf(row), row.token_address].join(' ').toLowerCase()
    sums.set(key, (sums.get(key) ?? 0n) + BigInt(row.amount_units ?? ''))
  }
  return (address: string) =>
    sums.get([chain.chainId, address, chain.token].join(' ').toLowerCase()) ?? 0n
}

test('a refund is found by each of its properties, with its payment', async () => {
  const intent = await paid()
  const created = await refund(intent, { amount_units: 20_001 })
  await payRefund(created)
  await reader.settle()
  const { tx_hash } = await read(created)
  const client = merchantClient()
  const current = [
    ...[created.id, created.links.page, created.links.page.split('#')[1]],
    ...[created.refund_reference, tx_hash, `https://sepolia.basescan.org/tx/${tx_hash}`],
    ...[created.destination, refunding.shop.address.toLowerCase(), '0.020001', intent.id],
  ]
  for (const text of current) {
    const { payments } = await find(client, text, 'order_id')
    const [payment] = payments.filter((each) => each.intent.id === intent.id)
    expect(payment?.refunds, text).toMatchObject([{ id: created.id, status: 'succeeded' }])
  }
  const json = JSON.stringify(await find(client, created.id, 'order_id'))
  expect(json).not.toContain('_link_')
})

test('transfers less refunds are exactly the balance', async () => {
  const wallets = [refunding.shop.address, treasury().address]
  const before = await Promise.all(wallets.map(balanceOf))

  // An intent that is refunded in parts, by a signature and by a transfer of an unregistered treasury.
  const intent = await paid()
  await payRefund(await refund(intent, { amount_units: 20_001 }))
  const byTreasury = await refund(intent, { amount_units: 30_000 })
  const { hash: tx_hash } = await chain.pay({
    ...{ from: treasury().address, to: refunding.payer.address, amount: 30_000n },
  })
  await reader.settle()
  await send(`/v1/refunds/${byTreasury.id}/attach`, { tx_hash })
  // An intent that is refunded completely.
  await payRefund(await refund(await paid()))
  // A refund that is canceled, and a refund that is never signed.
  const canceled = await refund(await paid())
  await send(`/v1/refunds/${canceled.id}/cancel`, {})
  await refund(await paid())
  // Two unmatched transfers, one of which is refunded.
  const payer = refunding.payer.address
  for (const amount of [40_003n, 50_000n]) {
    await chain.pay({ from: payer, to: refunding.shop.address, amount })
  }
  await reader.settle()
  const { data } = await refunding.api.read('/v1/transfers', { matched: 'false' })
  const unmatched = data.find((transfer: Json) => transfer.amount_units === 40_003)
  const body = { transfer: unmatched.id, destination: payer }
  await payRefund(await send('/v1/refunds', body))
  await reader.settle()
  // A refund that succeeds, and that the chain takes back together with a payment.
  const reversed = await refund(await paid(), { amount_units: 60_000 })
  const late = await reader.create({ wallet_address: refunding.shop.address })
  const snapshot = await chain.rpc('evm_snapshot')
  await payRefund(reversed)
  await reader.pay(late, 'reference', late.amount_units)
  await reader.settle()
  expect(await read(reversed)).toMatchObject({ status: 'succeeded' })
  await chain.rpc('evm_revert', [snapshot])
  await chain.mine(8)
  await reader.read()
  expect(await read(reversed)).toMatchObject({ status: 'pending', tx_hash: null })

  const transfers = (await exported('transfers')).filter(({ orphaned }) => orphaned === 'false')
  const refunds = await exported('refunds')
  const paidBack = refunds.filter(({ tx_hash }) => tx_hash !== '')
  const refundedTransfers = new Set(paidBack.map(({ transfer }) => transfer))
  const isMatched = (row: Row) => row.payment_intent !== '' || refundedTransfers.has(row.id ?? '')
  const matchedIn = sumOf(transfers.filter(isMatched), ({ to }) => to)
  const matchedOut = sumOf(paidBack, ({ from }) => from)
  const unmatchedIn = sumOf(
    // The first transfer of the chain gives the wallet its test USDC, so it is left out.
    transfers.filter((row) => !isMatched(row) && row.from === payer),
    ({ to }) => to,
  )
  const after = await Promise.all(wallets.map(balanceOf))
  const changes = after.map((units, index) => units - (before[index] ?? 0n))
  expect(wallets.map((wallet) => matchedIn(wallet) - matchedOut(wallet))).toEqual([
    (changes[0] ?? 0n) - 50_000n,
    changes[1],
  ])
  expect(wallets.map(unmatchedIn)).toEqual([50_000n, 0n])
  expect(matchedOut(treasury().address)).toBe(30_000n)
  expect(refunds.map(({ status }) => status).sort()).toEqual([
    ...['canceled', 'pending', 'requires_signature'],
    ...['succeeded', 'succeeded', 'succeeded', 'succeeded'],
  ])
})
