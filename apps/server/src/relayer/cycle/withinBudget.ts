import type { Spend } from '../../store/relaying/spend.ts'
import type { RelayLimits } from '../relayContext.ts'
import type { Fees } from '../rpc/fees.ts'
import type { Memory } from './relayerMemory.ts'
import type { ChainSnapshot } from './takeSnapshot.ts'
import type { Decision } from './validateWaiting.ts'

export type Ready = Extract<Decision, { type: 'ready' }>

/**
 * Selects the authorizations within the balance and the daily limits, in the order of `ready`. The others wait. An
 * expensive authorization does not delay a cheap one.
 *
 * @param options.reserved wei that recorded transactions take from the balance at most
 */
export function withinBudget(
  limits: RelayLimits,
  memory: Pick<Memory, 'exhausted'>,
  options: {
    ready: readonly Ready[]
    snapshot: Pick<ChainSnapshot, 'price' | 'balance'>
    spend: Pick<Spend, 'total' | 'byMerchant'>
    reserved: bigint
    fees: Fees
  },
): Ready[] {
  const { ready, snapshot, spend, reserved, fees } = options
  const gasPrice = snapshot.price.base + snapshot.price.tip
  const byMerchant = new Map(spend.byMerchant)
  let { total } = spend
  let remaining = snapshot.balance - reserved
  const allowed: Ready[] = []
  memory.exhausted.clear()
  for (const item of ready) {
    const { merchantId } = item.waiting
    const { gas } = item.call
    const cost = gas * gasPrice
    const ofMerchant = (byMerchant.get(merchantId) ?? 0n) + cost
    if (ofMerchant > limits.merchantDailySpend) {
      memory.exhausted.add(merchantId)
      continue
    }
    // Nodes accept only a transaction that the balance covers at its maximum price.
    const highestCost = gas * fees.maxFeePerGas
    if (total + cost > limits.dailySpend || highestCost > remaining) continue
    total += cost
    remaining -= highestCost
    byMerchant.set(merchantId, ofMerchant)
    allowed.push(item)
  }
  return allowed
}
