import type { Spend } from '../db/relay/spend.ts'
import type { Checked } from './checkWaiting.ts'
import type { RelayLimits } from './context.ts'
import type { Memory } from './memory.ts'
import type { Seen } from './readChain.ts'

export type Ready = Extract<Checked, { type: 'ready' }>

/** Those that the balance and the limits of a day allow, in their order. The others wait. */
export function affordable(
  limits: RelayLimits,
  memory: Pick<Memory, 'exhausted'>,
  given: { checked: readonly Checked[]; seen: Pick<Seen, 'price' | 'balance'>; spend: Spend },
): Ready[] {
  const { checked, seen, spend } = given
  const gasPrice = seen.price.base + seen.price.tip
  const byMerchant = new Map(spend.byMerchant)
  let { total } = spend
  let { balance } = seen
  const allowed: Ready[] = []
  memory.exhausted.clear()
  for (const one of checked) {
    if (one.type !== 'ready') continue
    const { merchantId } = one.waiting
    const cost = one.call.gas * gasPrice
    const ofMerchant = (byMerchant.get(merchantId) ?? 0n) + cost
    if (ofMerchant > limits.merchantDailySpend) {
      memory.exhausted.add(merchantId)
      continue
    }
    if (total + cost > limits.dailySpend || cost > balance) break
    total += cost
    balance -= cost
    byMerchant.set(merchantId, ofMerchant)
    allowed.push(one)
  }
  return allowed
}
