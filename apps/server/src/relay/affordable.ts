import type { Spend } from '../db/relay/spend.ts'
import type { Checked } from './checkWaiting.ts'
import type { RelayLimits } from './context.ts'
import type { Fees } from './fees.ts'
import type { Memory } from './memory.ts'
import type { Seen } from './readChain.ts'

export type Ready = Extract<Checked, { type: 'ready' }>

/**
 * Those that the balance and the limits of a day allow, the oldest first. The others wait, and one that is too dear holds up
 * none that is not.
 *
 * @param given.held wei that recorded transactions take from the balance at most
 */
export function affordable(
  limits: RelayLimits,
  memory: Pick<Memory, 'exhausted'>,
  given: {
    checked: readonly Checked[]
    seen: Pick<Seen, 'price' | 'balance'>
    spend: Pick<Spend, 'total' | 'byMerchant'>
    held: bigint
    fees: Fees
  },
): Ready[] {
  const { checked, seen, spend, held, fees } = given
  const gasPrice = seen.price.base + seen.price.tip
  const byMerchant = new Map(spend.byMerchant)
  let { total } = spend
  let left = seen.balance - held
  const allowed: Ready[] = []
  memory.exhausted.clear()
  for (const one of checked) {
    if (one.type !== 'ready') continue
    const { merchantId } = one.waiting
    const { gas } = one.call
    const cost = gas * gasPrice
    const ofMerchant = (byMerchant.get(merchantId) ?? 0n) + cost
    if (ofMerchant > limits.merchantDailySpend) {
      memory.exhausted.add(merchantId)
      continue
    }
    // Nodes take only what the account can pay at the highest price that it offers.
    const most = gas * fees.maxFeePerGas
    if (total + cost > limits.dailySpend || most > left) continue
    total += cost
    left -= most
    byMerchant.set(merchantId, ofMerchant)
    allowed.push(one)
  }
  return allowed
}
