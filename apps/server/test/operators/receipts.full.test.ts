import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { verifyReceipt } from '@payment-intents/browser/receipt'
import { expect, test } from 'vitest'
import { authorization } from '../support/chain/signAuthorization.ts'
import { merchantApi } from '../support/server/merchantApi.ts'
import { refundingOfTest } from '../support/server/refunding.ts'
import type { Json } from '../support/server/testServer.ts'

const refunding = refundingOfTest()
const { reader, chain } = refunding
const script = join(import.meta.dirname, 'verify_receipt.py')

/** The verdict of the Python implementation on a receipt. */
function inPython(receipt: Json): string {
  const input = JSON.stringify(receipt)
  const ended = spawnSync('python3', [script, chain.url], { input, encoding: 'utf8' })
  expect(ended.stderr).toBe('')
  return ended.stdout.trim()
}

const hasPython = spawnSync('python3', ['--version']).status === 0

test.runIf(hasPython)('an implementation in Python has the same verdicts', async () => {
  const [, payer] = chain.accounts
  if (!payer) throw new Error('The development chain has accounts.')
  const named = await reader.paid('reference')
  const byAmount = await reader.paid('manual')
  const signed = await reader.create()
  const data = await authorization(chain, payer, {
    to: signed.expected_wallet,
    amount: signed.amount_units,
    nonce: signed.payment_reference,
  })
  await chain.rpc('eth_sendTransaction', [{ from: payer.address, to: chain.token, data }])
  await reader.settle()
  const api = merchantApi(reader.server, reader.merchant.apiKey)
  const receipts: Json[] = []
  for (const { id } of [named, byAmount, signed]) {
    receipts.push(await api.read(`/v1/payment_intents/${id}/receipt`))
  }
  const [first, second, third] = receipts
  receipts.push(
    { ...first, transfers: second.transfers },
    { ...first, transfers: third.transfers },
    { ...second, transfers: first.transfers },
    { ...first, amount_units: first.amount_units - 1 },
    { ...first, salt: second.salt },
    { ...first, transfers: [{ ...first.transfers[0], log_index: 7 }] },
  )
  const verdicts = []
  for (const receipt of receipts) {
    const { type } = await verifyReceipt(receipt, { rpcUrl: chain.url })
    expect(inPython(receipt)).toBe(type)
    verdicts.push(type)
  }
  expect(verdicts).toEqual([...['proven', 'paid', 'proven', 'paid'], ...Array(5).fill('refuted')])
})

test.runIf(hasPython)('it has the same verdicts on refunds', async () => {
  const { paid, refund, send, signedBy, authorize, submit, api } = refunding
  const intent = await paid({ amount_units: 50_000 })
  const refundOf = (amount_units: number) => refund(intent, { amount_units })
  const [signing, attached, waiting] = [
    await refundOf(10_000),
    await refundOf(20_000),
    await refundOf(10_000),
  ]
  const signed = await signedBy(signing)
  await authorize(signing, signed)
  await submit(signed)
  const { hash: tx_hash } = await chain.pay({
    ...{ from: refunding.other.address, to: refunding.payer.address, amount: 20_000n },
  })
  await send(`/v1/refunds/${attached.id}/attach`, { tx_hash })
  await authorize(waiting, await signedBy(waiting))
  await reader.settle()
  const receipt = await api.read(`/v1/payment_intents/${intent.id}/receipt`)
  const [first, second, third] = receipt.refunds
  const changed = (change: object) => ({ ...receipt, refunds: [{ ...first, ...change }, second] })
  const receipts: Json[] = [
    ...[receipt, changed({}), changed({ amount_units: 10_001 }), changed({ salt: second.salt })],
    ...[changed({ id: second.id.slice(0, -1) }), changed({ destination: first.from })],
    ...[changed({ from: second.from }), changed({ tx_hash: second.tx_hash }), changed(second)],
    changed({ refund_reference: third.refund_reference }),
  ]
  const all: string[] = []
  for (const claim of receipts) {
    const verdict = await verifyReceipt(claim, { rpcUrl: chain.url })
    const refunds = 'refunds' in verdict ? verdict.refunds.map(({ type }) => type) : []
    const said = [verdict.type, ...refunds].join(' ')
    all.push(said)
    expect(inPython(claim)).toBe(said)
  }
  expect(all).toEqual([
    'proven proven stated pending',
    'proven proven stated',
    ...Array(8).fill('refuted'),
  ])
})
