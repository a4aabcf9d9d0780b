import { callRpc } from './callRpc.ts'
import type { WalletTransaction } from './readRequest.ts'
import { RpcError } from './rpcError.ts'

/** An account that can pay. */
export type OpenAccount = {
  readonly address: string
  /**
   * Sends it and answers its hash.
   *
   * @param gasLimit in hexadecimal; what the transaction needs by default
   * @throws RpcError what the chain says against it
   */
  send(transaction: WalletTransaction, gasLimit?: string): Promise<string>
  /**
   * Signs it as the account's next and answers its hash; the network never hears of it.
   *
   * @throws RpcError what the chain says against it
   */
  withhold(transaction: WalletTransaction): Promise<string>
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
    async send(transaction, gasLimit) {
      if (!gasLimit) await estimate(transaction)
      const limited = { ...transaction, ...(gasLimit && { gas: gasLimit }) }
      return callRpc<string>(rpcUrl, 'eth_sendTransaction', [limited])
    },
    async withhold(transaction) {
      await estimate(transaction)
      const signed = await callRpc<string>(rpcUrl, 'eth_signTransaction', [transaction])
      return callRpc<string>(rpcUrl, 'web3_sha3', [signed])
    },
  }

  /** A wallet finds out what a payment costs; a development node would take one that reverts, too. */
  async function estimate(transaction: WalletTransaction): Promise<void> {
    await callRpc(rpcUrl, 'eth_estimateGas', [transaction])
  }
}
