/** Every search of payment intents and transfers, among 1,000 and among `INTENTS`: the ratios should stay below two. */
import { timeOfId } from '../apps/server/src/db/ids.ts'
import { listIntents } from '../apps/server/src/db/intents/listPaymentIntents.ts'
import { insertMerchant } from '../apps/server/src/db/merchants/merchants.ts'
import type { Search } from '../apps/server/src/db/search.ts'
import { listTransfers } from '../apps/server/src/db/transfers/listTransfers.ts'
import { addresses, fillLists, hashOf, intentAt } from '../apps/server/test/fillLists.ts'
import { median, rounded } from './numbers.ts'
import { openBenchDb } from './openBenchDb.ts'

const most = Number(process.env.INTENTS ?? 1_000_000)
const samples = 11
const who = { merchantId: 'mer_1', mode: 'testnet' } as const
const { rare, even, odd } = addresses

const everything: Search = {
  ...{ limit: 10, startingAfter: null, txHash: null, payer: null, wallet: null, reference: null },
  ...{ amount: null, createdAfter: null, createdBefore: null },
}

function searches(count: number): Record<string, Partial<Search>> {
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
    created: { createdAfter: timeAt(middle - 5), createdBefore: timeAt(middle) },
    'created, wallet': { createdBefore: timeAt(middle), wallet: even },
    'payer, amount_units': { payer: rare, amount: 24_000_000 },
    'wallet, amount_units': { wallet: odd, amount: 24_000_000 },
  }
}

type Times = Record<string, number>

/** Milliseconds of each search, the median, by its name. */
async function times(count: number): Promise<Times> {
  const { db, close } = await openBenchDb()
  try {
    await insertMerchant(db.pool, { id: who.merchantId, name: 'Bench', defaultChain: null })
    await fillLists(db, who.merchantId, count)
    const found: Times = {}
    for (const [name, search] of Object.entries(searches(count))) {
      const its = { ...everything, ...search, chain: null }
      const lists = {
        intents: () => listIntents(db.pool, who, { ...its, status: null, metadata: [] }),
        'intents, expired': () =>
          listIntents(db.pool, who, { ...its, status: 'expired', metadata: [] }),
        transfers: () => listTransfers(db.pool, who, { ...its, matched: null, intentId: null }),
        'transfers, unmatched': () =>
          listTransfers(db.pool, who, { ...its, matched: false, intentId: null }),
      }
      for (const [list, read] of Object.entries(lists)) found[`${list}: ${name}`] = await time(read)
    }
    return found
  } finally {
    await close()
  }
}

async function time(read: () => Promise<unknown>): Promise<number> {
  const taken: number[] = []
  for (let sample = 0; sample < samples; sample += 1) {
    const begun = performance.now()
    await read()
    taken.push(performance.now() - begun)
  }
  return median(taken)
}

const few = await times(1_000)
const many = await times(most)
const rows = Object.entries(many).map(([name, ms]) => {
  const before = few[name] ?? Number.NaN
  return [name, rounded({ 'ms of 1,000': before, ms, ratio: ms / before })]
})
console.log(`\nA page of ${most.toLocaleString('en')}, and of 1,000`)
console.table(Object.fromEntries(rows))
