type Payment = { readonly amount: bigint; readonly payable: bigint }
type Money = { readonly amount: bigint; readonly rail: string }

/** The rails by which anyone's money can reach an intent. */
const openMethods = ['reference', 'address', 'authorization']

/**
 * The part of the credited transfers that counts: all but dust, "below 1 % of the price, by reference or address; never an exact payable
 * amount, nor what completes a payment".
 *
 * @param accepted what the merchant settled for
 */
export function withoutDust<Credit extends Money>(
  intent: Payment,
  accepted: bigint | null,
  credited: readonly Credit[],
): readonly Credit[] {
  const solid = credited.filter((transfer) => !isDust(intent, transfer))
  const due = accepted ?? intent.amount
  return total(solid) < due && total(credited) >= due ? credited : solid
}

/** Whether a transfer is dust, unless it completes a payment. */
export function isDust({ amount: price, payable }: Payment, { amount, rail }: Money): boolean {
  return openMethods.includes(rail) && amount * 100n < price && amount !== payable
}

export function total(transfers: readonly { readonly amount: bigint }[]): bigint {
  return transfers.reduce((sum, { amount }) => sum + amount, 0n)
}
