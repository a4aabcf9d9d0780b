import type { CreditedTransfer, Intent } from './intent.ts'

type Payment = Pick<Intent, 'amount' | 'payable' | 'accepted' | 'transfers'>

/**
 * The shortest run of transfers, in the order of the chain, that pays what is due; else null.
 * Only what came on time counts, unless the merchant accepted what came.
 */
export function counted(
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

/**
 * What was credited, less the dust: transfers below 1 % of the price that came by reference or address, which anybody
 * can send to stand in the payer's way. Dust that completes a payment is none.
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

/** Whether a transfer is dust, unless it completes a payment. */
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
