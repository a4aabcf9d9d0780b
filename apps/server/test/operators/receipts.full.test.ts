import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { verifyReceipt } from '@payment-intents/browser/receipt'
import { expect, test } from 'vitest'
import { authorization } from '../support/chain/authorization.ts'
import { readerOfTest } from '../support/chain/reader.ts'
import { merchantApi } from '../support/server/merchantApi.ts'
import type { Json } from '../support/server/testServer.ts'

const { reader, chain } = readerOfTest()
const script = join(import.meta.dirname, 'verify_receipt.py')

/** What Python says of a receipt. */
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
