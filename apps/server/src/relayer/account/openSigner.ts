import type { Address } from '@payment-intents/contract'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Fees } from '../rpc/fees.ts'

/** The account that pays for the gas. Only this object holds its key. */
export type Signer = {
  /** Lower-case. */
  readonly address: Address
  /** Signs an EIP-1559 transaction without value. */
  sign(transaction: {
    readonly chainId: number
    readonly nonce: number
    readonly to: Address
    readonly data: Hex
    readonly gas: bigint
    readonly fees: Fees
  }): Promise<Hex>
}

export function openSigner(key: Hex): Signer {
  const account = privateKeyToAccount(key)
  return {
    address: account.address.toLowerCase() as Address,
    sign({ fees, ...transaction }) {
      return account.signTransaction({ type: 'eip1559', value: 0n, ...transaction, ...fees })
    },
  }
}
