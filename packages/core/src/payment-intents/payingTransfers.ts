import type { BoundBy, CreditedTransfer, Intent } from './intent.ts'

type Payment = Pick<Intent, 'amount' | 'payable' | 'accepted' | 'transfers'>

/**
 * The shortest prefix of the transfers, in chain order, that pays the amount due; null if they do not. Late transfers
 * count only if the merchant accepted the payment.
 */
export function payingTransfers(
  intent: Payment & Pick<Intent, 'expiresAt'>,
): readonly CreditedTransfer[] | null {
  const onTime = intent.transfers.filter(
    (transfer) => intent.accepted !== null || transfer.blockTimestamp <= intent.expiresAt,
  )
  let missing = due(intent)
  const eligible = withoutDust({ ...intent, transfers: onTime })
  for (const [index, transfer] of eligible.entries()) {
    missing -= transfer.amount
    if (missing <= 0n) return eligible.slice(0, index + 1)
  }
  return null
}

/** The rule that matched the transfer that completed the payment; null unless the intent is finally paid. */
export function boundByOf(intent: Intent): BoundBy | null {
  return intent.succeededAt === null ? null : (payingTransfers(intent)?.at(-1)?.boundBy ?? null)
}

/**
 * The credited transfers without dust: transfers below 1 % of the price, which anybody can send to disturb a payment. A
 * transfer that completes the payment is not dust.
 */
export function withoutDust(intent: Payment): readonly CreditedTransfer[] {
  const solid = intent.transfers.filter((transfer) => !isDust(intent, transfer))
  const completes = sum(solid) < due(intent) && sum(intent.transfers) >= due(intent)
  return completes ? intent.transfers : solid
}

/** Units credited so far, without dust. */
export function received(intent: Payment): bigint {
  return sum(withoutDust(intent))
}

function due({ accepted, amount }: Pick<Intent, 'accepted' | 'amount'>): bigint {
  return accepted ?? amount
}

/** Whether a transfer is dust if it does not complete the payment. */
export function isDust(
  { amount, payable }: Pick<Intent, 'amount' | 'payable'>,
  transfer: Pick<CreditedTransfer, 'amount' | 'boundBy'>,
): boolean {
  return (
    transfer.amount * 100n < amount &&
    transfer.amount !== payable &&
    transfer.boundBy !== 'assignment'
  )
}

function sum(transfers: readonly CreditedTransfer[]): bigint {
  return transfers.reduce((total, { amount }) => total + amount, 0n)
}
