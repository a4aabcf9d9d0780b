import type { WalletTransaction } from '@payment-intents/testing/wallet'

/** The effect of a transaction, for its payer. */
export type Meaning =
  | {
      kind: 'transfer'
      recipient: string
      /** In the token's smallest units. */
      amount: bigint
      /** Calldata after the call, such as a payment reference; '' if there is none. */
      attached: string
    }
  | { kind: 'other'; wei: bigint }

/** `transfer(address,uint256)`: the selector, two words, and any appended data. */
const transferCall = /^0xa9059cbb0{24}([0-9a-f]{40})([0-9a-f]{64})([0-9a-f]*)$/i

export function readMeaning(transaction: WalletTransaction): Meaning {
  const wei = BigInt(transaction.value ?? 0)
  const [, recipient, amount, attached = ''] = transferCall.exec(transaction.data ?? '') ?? []
  if (!recipient || !amount || wei > 0n) return { kind: 'other', wei }
  return { kind: 'transfer', recipient: `0x${recipient}`, amount: BigInt(`0x${amount}`), attached }
}
