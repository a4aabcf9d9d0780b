/** Every search of payment intents and transfers, among 1,000 and among `INTENTS`: the ratios should stay below two. */
import { timeOfId } from '../apps/server/src/store/lists/ids.ts'
import { insertMerchant } from '../apps/server/src/store/merchants/merchants.ts'
import { listIntents } from '../apps/server/src/store/payment-intents/listPaymentIntents.ts'
import { listTransfers } from '../apps/server/src/store/transfers/listTransfers.ts'
import {
  addresses,
  fillLists,
  hashOf,
  intentAt,
  paymentLinks,
} from '../apps/server/test/support/database/fillLists.ts'
import type { IntentAndTransferFilter } from '../packages/core/src/index.ts'
import { median, rounded } from './numbers.ts'
import { openBenchDb } from './openBenchDb.ts'

const limit = Number(process.env.INTENTS ?? 1_000_000)
const samples = 11
const actor = { merchantId: 'mer_1', mode: 'testnet' } as const
const { rare, even, odd } = addresses

const everything: IntentAndTransferFilter = {
  ...{ limit: 10, startingAfter: null, txHash: null, payer: null, wallet: null, reference: null },
  ...{ amount: null, createdAfter: null, createdBefore: null },
}

type IntentSearch = IntentAndTransferFilter & { readonly paymentLink: string | null }

function searches(count: number): Record<string, Partial<IntentSearch>> {
  const timeAt = (n: number) => timeOfId(intentAt(n, count).id)
  const middle = count / 2
  return {
    nothing: {},
    tx_hash: { txHash: hashOf(middle) },
    'payer, rare': { payer: rare },
    'payer, half': { payer: even },
    'wallet, rare': { wallet: rare },
    'wallet, half': { wallet: odd },
    reference: { reference: hashOf(middle) },
    'amount_units, rare': { amount: 5_000_000 },
    'amount_units, all': { amount: 24_000_000 },
    'amount_units, payable': { amount: 24_000_000 + middle },
    'payment_link, rare': { paymentLink: paymentLinks.rare },
    'payment_link, half': { paymentLink: paymentLinks.half },
    created: { createdAfter: timeAt(middle - 5), createdBefore: timeAt(middle) },
    'created, wallet': { createdBefore: timeAt(middle), wallet: even },
    'payer, amount_units': { payer: rare, amount: 24_000_000 },
    'wallet, amount_units': { wallet: odd, amount: 24_000_000 },
  }
}

type Reads = Map<string, () => Promise<unknown>>

/** Each search by its name, in a database of so many rows. */
async function open(count: number): Promise<{ reads: Reads; close(): Promise<void> }> {
  const { db, close } = await openBenchDb()
  await insertMerchant(db.pool, { id: actor.merchantId, name: 'Bench', defaultChain: null })
  await fillLists(db, actor.merchantId, count)
  const reads: Reads = new Map()
  for (const [name, search] of Object.entries(searches(count))) {
    const its = { ...everything, paymentLink: null, ...search, metadata: [], chain: null }
    for (const [which, requested] of [
      ['', { status: null }],
      [', expired', { status: 'expired' }],
      [', on polygon', { status: null, chain: 'polygon' }],
      [', expired on polygon', { status: 'expired', chain: 'polygon' }],
    ] as const) {
      const filter = { ...its, ...requested }
      reads.set(`intents${which}: ${name}`, () => listIntents(db.pool, actor, filter))
    }
    for (const [which, matched] of [
      ['', null],
      [', unmatched', false],
    ] as const) {
      const filter = { ...its, matched, intentId: null }
      reads.set(`transfers${which}: ${name}`, () => listTransfers(db.pool, actor, filter))
    }
  }
  return { reads, close }
}

async function time(read: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await read()
  return performance.now() - begun
}

const few = await open(1_000)
const many = await open(limit)
const rows: [string, Record<string, number>][] = []
for (const [name, read] of few.reads) {
  const [before, after]: [number[], number[]] = [[], []]
  // In turn, so that both meet the same load of the machine.
  for (let sample = 0; sample < samples; sample += 1) {
    before.push(await time(read))
    after.push(await time(many.reads.get(name) ?? read))
  }
  const [base, ms] = [median(before), median(after)]
  rows.push([name, rounded({ 'ms of 1,000': base, ms, ratio: ms / base })])
}
await Promise.all([few.close(), many.close()])
console.log(`\nA page of ${limit.toLocaleString('en')}, and of 1,000`)
console.table(Object.fromEntries(rows))
