import { callRpc } from './callRpc.ts'
import type { WalletTransaction } from './readRequest.ts'
import { RpcError } from './rpcError.ts'

/** An account that can pay. */
export type OpenAccount = {
  readonly address: string
  /** @throws RpcError what the chain says against it */
  send(transaction: WalletTransaction): Promise<string>
}

/**
 * @param account a private key, or which of the node's own accounts
 * @throws RpcError 4100 when the node has no such account
 */
export async function openAccount(
  rpcUrl: string,
  account: `0x${string}` | number,
): Promise<OpenAccount> {
  // Only who signs here needs the code for it.
  if (typeof account === 'string') return (await import('./signHere.ts')).signHere(rpcUrl, account)
  const address = (await callRpc<string[]>(rpcUrl, 'eth_accounts', []))[account]
  if (!address) throw new RpcError(4100, `The chain's node has no account ${account}.`)
  return {
    address,
    async send(transaction) {
      // A wallet finds out what a payment costs; a development node would mine one that reverts, too.
      await callRpc(rpcUrl, 'eth_estimateGas', [transaction])
      return callRpc<string>(rpcUrl, 'eth_sendTransaction', [transaction])
    },
  }
}
