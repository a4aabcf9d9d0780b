import { callRpc } from './callRpc.ts'
import type { WalletDecision } from './createTestWallet.ts'
import type { OpenAccount } from './openAccount.ts'
import type { WalletTransaction } from './readRequest.ts'

/**
 * Carries out the owner's decision and returns the transaction hash for the page.
 *
 * @throws RpcError the chain's refusal
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
      // The withheld transaction has the account's next nonce, so this replaces it, as a cancellation does.
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
