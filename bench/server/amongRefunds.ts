import { type DevChain, startDevChain } from '@payment-intents/testing'
import { median } from '../numbers.ts'
import { type Following, startFollowing } from '../watch/measurePolling.ts'
import { createSetting, type Setting } from '../watch/watchSetting.ts'
import { atLength, fill, pay } from './recording.ts'

export type Size = { readonly intents: number; readonly refunds: number }

/** Medians. Creations include the API, in this process. */
export type AmongRefunds = {
  readonly 'statements of a poll': number
  readonly 'a poll, ms': number
  readonly 'statements that find a payment': number
  readonly 'a poll that finds a payment, ms': number
  readonly 'a creation, ms': number
}

type World = {
  readonly setting: Setting
  readonly chain: DevChain
  readonly follower: Following
  readonly times: { readonly [kind in keyof AmongRefunds]: number[] }
}

/** Samples of each kind; creations are short, and more. */
const samples = 41
const creations = 1_500
const wallet = `0x${'5'.repeat(40)}`
/** A refund has been signed, waits to be broadcast, and its nonce is watched: each poll looks at it. */
const refundOf = `'0x' || lpad(to_hex(n + 1000000000), 64, '0')`

/**
 * Polls and creations among intents of one merchant and open refunds. The worlds take turns, so that all meet the same load of the
 * machine.
 */
export async function amongRefunds(sizes: readonly Size[]): Promise<AmongRefunds[]> {
  const worlds: World[] = []
  try {
    for (const size of sizes) worlds.push(await open(size))
    for (let sample = 0; sample < samples; sample += 1) {
      for (const world of worlds) await poll(world)
      for (const world of worlds) await pollWithPayment(world)
    }
    for (let sample = 0; sample < creations; sample += 1) {
      // Each begins as often as the others.
      const turn = sample % worlds.length
      for (const { setting, times } of [...worlds.slice(turn), ...worlds.slice(0, turn)]) {
        times['a creation, ms'].push(await timed(() => setting.create()))
      }
    }
    return worlds.map(({ times }) => {
      const entries = Object.entries(times).map(([kind, values]) => [kind, median(values)])
      return Object.fromEntries(entries) as AmongRefunds
    })
  } finally {
    for (const { setting, chain, follower } of worlds) {
      await follower.stop()
      await chain.stop()
      await setting.close()
    }
  }
}

async function open({ intents, refunds }: Size): Promise<World> {
  const setting = await createSetting()
  const chain = await startDevChain({ blockTime: 0 })
  await fill(setting, intents)
  await fillRefunds(setting, intents, refunds)
  const follower = await startFollowing(setting, chain.url)
  while ((await follower.read()) !== 'current');
  for (let warm = 0; warm < 10; warm += 1) await setting.create()
  return {
    ...{ setting, chain, follower },
    times: {
      ...{ 'statements of a poll': [], 'a poll, ms': [] },
      ...{ 'statements that find a payment': [], 'a poll that finds a payment, ms': [] },
      'a creation, ms': [],
    },
  }
}

async function poll({ setting, chain, follower, times }: World): Promise<void> {
  await chain.mine(1)
  setting.queries()
  times['a poll, ms'].push(await timed(() => follower.read()))
  times['statements of a poll'].push(setting.queries())
}

async function pollWithPayment({ setting, chain, follower, times }: World): Promise<void> {
  await pay(chain, setting, 1, true)
  setting.queries()
  times['a poll that finds a payment, ms'].push(await timed(() => follower.read()))
  times['statements that find a payment'].push(setting.queries())
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

/** Signed refunds of the intents that were filled in, at most ten of each. */
async function fillRefunds({ db }: Setting, intents: number, refunds: number): Promise<void> {
  if (refunds === 0) return
  await atLength(db, [
    `insert into refunds (id, merchant_id, mode, intent_id, chain, chain_id, token_address, amount_units,
       refund_reference, salt, confirmations_required, metadata, created_at, status, sequence,
       destination, destination_proof, from_address, from_verified, confirmations)
     select 're_' || lpad(n::text, 20, '0'), p.merchant_id, p.mode, p.id, p.chain, p.chain_id, p.token_address,
       10000, ${refundOf}, '0x' || lpad(to_hex(n), 64, '0'), 5, '{}', now(), 'pending', 2,
       '0x' || lpad(to_hex(n), 40, '9'), 'merchant', '${wallet}', true, 0
     from generate_series(1, ${refunds}) n
     join payment_intents p on p.id = 'pi_' || lpad((2 + n % (${intents} - 1))::text, 20, '0')`,
    `insert into authorizations (id, refund_id, chain_id, token_address, authorizer, recipient, amount_units,
       valid_after, valid_before, nonce, signature, source, status)
     select 'auth_' || lpad(right(id, 20), 20, '0'), id, chain_id, token_address, '${wallet}', destination, amount_units,
       0, extract(epoch from now() + interval '1 day'), refund_reference, '0x', 'refund', 'in_flight'
     from refunds`,
    `insert into watched_topics (chain_id, topic, since, until)
     select chain_id, refund_reference, now(), now() + interval '1 day' from refunds`,
    'analyze refunds, authorizations, watched_topics',
  ])
}
