import { callRpc } from './callRpc.ts'
import type { WalletDecision } from './createTestWallet.ts'
import type { OpenAccount } from './openAccount.ts'
import type { WalletTransaction } from './readRequest.ts'

/**
 * Does what the owner has decided, and answers the hash that the page is told.
 *
 * @throws RpcError what the chain says against it
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
      // The account's next is what was withheld, so this takes its nonce, as a cancellation does.
      await account.send({ from: account.address, to: account.address })
      return hash
    }
    case 'revert': {
      // To an account that runs nothing, the same bytes cost what they cost before any code runs.
      const toNobody = { ...transaction, to: account.address }
      return account.send(transaction, await callRpc(rpcUrl, 'eth_estimateGas', [toNobody]))
    }
    default:
      return account.send(transaction)
  }
}
