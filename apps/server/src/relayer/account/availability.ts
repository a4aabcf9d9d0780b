import { readSpend } from '../../store/relaying/spend.ts'
import type { RelayContext } from '../relayContext.ts'
import { chooseRpc } from '../rpc/chooseRpc.ts'
import { newFees } from '../rpc/fees.ts'
import { usualGas } from '../rpc/tokenCall.ts'

/** Whether payments without gas can be offered on one chain now, from this process's view. */
export type Availability = {
  /** Responds from memory, and refreshes an old state in the background. */
  isOffered(merchantId: string): boolean
  /** Why it is offered to no merchant, as a text for the operator; null while it is offered. */
  reason(): string | null
  /** Wei, at the last read. */
  balance(): bigint | null
  /** Wei that was spent in 24 hours, with pending transactions. */
  spent(): bigint | null
  /** The number of payments that the balance covers, at the gas price of the same read. */
  remainingPayments(): bigint | null
  /** Reads the state again, unless a read is in flight. */
  refresh(): Promise<void>
}

/** The age from which a state is read again when somebody needs it. */
const refreshMs = 15_000
/** The minimum number of payments that the balance must cover. */
const minimumPayments = 5n

type AvailabilityState = {
  readonly reason: string | null
  readonly balance: bigint | null
  readonly spent: bigint | null
  readonly remainingPayments: bigint | null
  readonly exhausted: ReadonlySet<string>
}

export function watchAvailability(context: RelayContext, now: () => number): Availability {
  const { facts, signer, log } = context
  let state: AvailabilityState = { ...unknown, reason: 'the relayer’s state was not read yet' }
  let readAt = Number.NEGATIVE_INFINITY
  let refreshing: Promise<void> | null = null
  /** The last logged reason; undefined: none was logged yet. */
  let loggedReason: string | null | undefined

  async function refresh(): Promise<void> {
    const { exhausted } = state
    state = await readState(context).catch((error) => {
      context.database.report(error)
      return {
        ...unknown,
        exhausted,
        reason: 'the relayer’s balance and the gas price cannot be read',
      }
    })
    readAt = now()
    for (const merchant of state.exhausted) {
      if (exhausted.has(merchant)) continue
      const fields = { chain_id: facts.chainId, merchant }
      log.warn(
        fields,
        'payments without gas are not offered for a merchant: RELAYER_MERCHANT_DAILY_SPEND',
      )
    }
    if (state.reason === loggedReason) return
    const fields = { chain_id: facts.chainId, relayer: signer.address }
    if (state.reason !== null) {
      log.warn({ ...fields, reason: state.reason }, 'payments without gas are not offered')
    } else log.info(fields, 'payments without gas are offered')
    loggedReason = state.reason
  }

  const startRefresh = () => {
    refreshing ??= refresh().finally(() => {
      refreshing = null
    })
    return refreshing
  }
  const current = () => {
    if (now() - readAt >= refreshMs) void startRefresh()
    return state
  }

  return {
    isOffered(merchantId) {
      const { reason, exhausted } = current()
      return reason === null && !exhausted.has(merchantId)
    },
    reason: () => current().reason,
    balance: () => current().balance,
    spent: () => current().spent,
    remainingPayments: () => current().remainingPayments,
    refresh: startRefresh,
  }
}

const unknown: AvailabilityState = {
  ...{ reason: null, balance: null, spent: null, remainingPayments: null },
  exhausted: new Set(),
}

async function readState({
  db,
  facts,
  providers,
  signer,
  limits,
}: RelayContext): Promise<AvailabilityState> {
  const chosen = await chooseRpc(providers)
  if (!chosen) return { ...unknown, reason: 'no RPC provider responds' }
  const { rpc } = chosen
  const [price, balance, separator] = await Promise.all([
    rpc.price(facts.chainId),
    rpc.balance(signer.address),
    rpc.domainSeparator(facts.usdc),
  ])
  const gasPrice = price.base + price.tip
  const account = { chainId: facts.chainId, relayer: signer.address, gasPrice }
  const { total, byMerchant, reserved: reservedBalance } = await readSpend(db.pool, account)
  const next = usualGas * gasPrice
  const exhausted = [...byMerchant].filter(([, spent]) => spent + next > limits.merchantDailySpend)
  const fees = newFees(price, limits.maxFeePerGas)
  const isBalanceLow =
    balance - reservedBalance < minimumPayments * usualGas * (fees?.maxFeePerGas ?? gasPrice)
  return {
    balance,
    spent: total,
    remainingPayments: balance < reservedBalance ? 0n : (balance - reservedBalance) / next,
    exhausted: new Set(exhausted.map(([merchantId]) => merchantId)),
    reason:
      (separator !== facts.usdcDomainSeparator &&
        'the token’s EIP-712 domain differs from the domain that payers sign for') ||
      (fees === null && 'the gas price is above RELAYER_MAX_FEE_GWEI') ||
      (isBalanceLow && `the relayer’s balance covers fewer than ${minimumPayments} payments`) ||
      (total + next > limits.dailySpend && 'the limit of RELAYER_DAILY_SPEND is reached') ||
      null,
  }
}
