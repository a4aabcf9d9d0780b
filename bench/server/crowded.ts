import { ascending, at, rounded } from '../numbers.ts'
import { load, paced, type Request } from './load.ts'
import { atLength } from './recording.ts'
import { createSetting, type Setting } from './serverSetting.ts'

const rounds = 5
const attackers = 32
/** Its payable amounts are two million. */
const price = 200_000_000
/** The most that has no more payable amounts than the rest of its cent. */
const few = { price: 1_000_000, amounts: 9_999 }
const prices = 1_000
const counts = [1_000, 5_000, 10_000, 12_000, 20_000, 100_000]

type Crowd = {
  readonly request: (index: number) => Request
  readonly alone: number[]
  readonly together: number[]
  /** The creations of another merchant meanwhile. */
  readonly underLoad: number[]
  readonly statuses: Record<number, number>
}

/**
 * Creations of a price that has many intents at a wallet, by one client and by many, and another merchant's creations beside the
 * latter. The crowds take turns in one database, so that all meet the same load of the machine; the first has a new wallet in each.
 *
 * @param limit intents of one price
 */
export async function crowded(limit: number, seconds: number): Promise<void> {
  const setting = await createSetting()
  try {
    const otherMerchant = await setting.merchant()
    const fresh = await setting.merchant()
    let round = 0
    const crowds: Record<string, Crowd> = {
      none: crowd(fresh.apiKey, () => ({ amount_units: price + 20_000 * round })),
    }
    for (const count of [...counts.filter((count) => count < limit), limit]) {
      const { apiKey, wallet } = await setting.merchant()
      await fill(setting, { apiKey, wallet, count })
      const named = `${count.toLocaleString('en')} of one price`
      crowds[named] = crowd(apiKey, () => ({ amount_units: price }))
    }
    for (const count of [10, prices]) {
      const { apiKey, wallet } = await setting.merchant()
      await fill(setting, { apiKey, wallet, count: 100, prices: count })
      const named = `100 of each of ${count.toLocaleString('en')} prices`
      crowds[named] = crowd(apiKey, (n) => ({ amount_units: price + 10_000 * (n % count) }))
    }
    const full = await setting.merchant()
    await fill(setting, { ...full, count: few.amounts, of: few.price })
    crowds['no amount left'] = crowd(full.apiKey, () => {
      return { amount_units: few.price, lane: 'manual' }
    })
    await atLength(setting.db, ['vacuum analyze payment_intents, payable_reservations'])

    for (; round <= rounds; round += 1) {
      for (const { request, ...crowd } of Object.values(crowds)) {
        const single = await load(setting.server.url, { clients: 1, seconds, request })
        const [together, concurrent] = await Promise.all([
          load(setting.server.url, { clients: attackers, seconds, request }),
          paced(setting.server.url, {
            ...{ perSecond: 20, seconds },
            request: (n) =>
              creation(otherMerchant.apiKey, { amount_units: 3_000_000 + 10_000 * n }),
          }),
        ])
        // In the first, V8 compiles the code of creations.
        if (round === 0) continue
        crowd.alone.push(...single.latencies)
        crowd.together.push(...together.latencies)
        crowd.underLoad.push(...concurrent.latencies)
        for (const [status, count] of Object.entries(together.statuses)) {
          crowd.statuses[Number(status)] = (crowd.statuses[Number(status)] ?? 0) + count
        }
      }
    }
    const base = Object.values(crowds)[0]
    if (!base) return
    console.log(`\nCreations of a crowded price, by one client, and by ${attackers} beside another`)
    const rows = Object.entries(crowds).map(([name, crowd]) => [name, row(crowd, base)])
    console.table(Object.fromEntries(rows))
  } finally {
    await setting.close()
  }
}

function crowd(apiKey: string, body: (index: number) => object): Crowd {
  const request = (index: number) => creation(apiKey, body(index))
  return { ...{ request, alone: [], together: [], underLoad: [] }, statuses: {} }
}

function creation(apiKey: string, body: object): Request {
  return { method: 'POST', path: '/v1/payment_intents', apiKey, body }
}

function row(crowd: Crowd, base: Crowd): Record<string, number | string> {
  const of = (latencies: readonly number[], quantile: number) =>
    at(latencies.toSorted(ascending), quantile)
  const ratio = (kind: 'alone' | 'together' | 'underLoad', quantile: number) =>
    of(crowd[kind], quantile) / of(base[kind], quantile)
  return {
    ...rounded({
      ...{ 'one: p50 ms': of(crowd.alone, 0.5), 'p50 of none': ratio('alone', 0.5) },
      ...{ 'p99 of none': ratio('alone', 0.99), 'many: p50 of none': ratio('together', 0.5) },
      ...{ 'many: p99': ratio('together', 0.99), 'another: p50': ratio('underLoad', 0.5) },
      'another: p99': ratio('underLoad', 0.99),
    }),
    statuses: JSON.stringify(crowd.statuses),
  }
}

/** So many intents of each price, every second of which has ended, with the least amounts above it. */
async function fill(
  { server, db }: Setting,
  crowd: { apiKey: string; wallet: string; count: number; of?: number; prices?: number },
): Promise<void> {
  const { apiKey, wallet, count, of = price, prices = 1 } = crowd
  const { method, path, body } = creation(apiKey, { amount_units: of })
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const created = await fetch(server.url + path, { method, headers, body: JSON.stringify(body) })
  const { id } = (await created.json()) as { id: string }
  const name = `substr(md5('${wallet}' || m || ' ' || n), 1, 20)`
  await atLength(db, [
    `delete from payable_reservations where intent_id = '${id}'`,
    `with copied as (
       insert into payment_intents
       select (jsonb_populate_record(t, jsonb_build_object(
         'id', 'pi_' || ${name}, 'payment_reference', ${name},
         'amount_units', ${of} + 10000 * m, 'payable_amount_units', ${of} + 10000 * m + n + (n - 1) / 9999,
         'status', case when n % 2 = 0 then 'expired' else 'requires_payment' end))).*
       from payment_intents t, generate_series(0, ${prices - 1}) m, generate_series(1, ${count}) n
       where t.id = '${id}'
       returning *
     )
     insert into payable_reservations (chain_id, wallet, payable_amount_units, intent_id, since, until)
     select chain_id, expected_wallet, payable_amount_units, id, now(), now() + interval '1 day' from copied`,
  ])
}
