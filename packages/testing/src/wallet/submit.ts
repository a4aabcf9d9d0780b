import { callRpc } from './callRpc.ts'
import type { OpenAccount } from './openAccount.ts'
import type { WalletTransaction } from './requests/requestParams.ts'

/**
 * `hang` never responds, as when a popup stays unseen. Each of the following applies to one kind of prompt, and is
 * `approve` for others.
 *
 * - `lie`: the switch of the chain succeeds, but the wallet stays on its chain
 * - `drop`: the hash of a signed transaction is returned, but the transaction is not sent
 * - `replace`: as `drop`, and another transaction of the account takes its nonce, as when the payer cancels it
 * - `revert`: the transaction is sent with too little gas, so that it is mined and reverts
 */
export type WalletDecision = 'approve' | 'reject' | 'hang' | 'lie' | 'drop' | 'replace' | 'revert'

/**
 * Carries out the owner's decision and returns the transaction hash for the page.
 *
 * @throws RpcError the chain's error
 */
export async function submit(
  rpcUrl: string,
  account: OpenAccount,
  transaction: WalletTransaction,
  decision: WalletDecision,
): Promise<string> {
  switch (decision) {
    case 'drop':
      return account.withhold(transaction)
    case 'replace': {
      const hash = await account.withhold(transaction)
      // The withheld transaction has the account's next nonce, so this transaction replaces it, like a cancellation.
      await account.send({ from: account.address, to: account.address })
      return hash
    }
    case 'revert': {
      // The same bytes to an account without code cost the intrinsic gas only.
      const toSelf = { ...transaction, to: account.address }
      return account.send(transaction, await callRpc(rpcUrl, 'eth_estimateGas', [toSelf]))
    }
    default:
      return account.send(transaction)
  }
}
