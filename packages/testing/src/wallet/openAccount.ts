import { callRpc } from './callRpc.ts'
import type { TypedData } from './requests/readTypedData.ts'
import type { WalletTransaction } from './requests/requestParams.ts'
import { RpcError } from './walletRpcError.ts'

/** An account that can pay. */
export type OpenAccount = {
  readonly address: string
  /**
   * Sends a transaction and returns its hash.
   *
   * @param gasLimit in hexadecimal; estimated by default
   * @throws RpcError the chain's error
   */
  send(transaction: WalletTransaction, gasLimit?: string): Promise<string>
  /**
   * Signs a transaction with the next nonce and returns its hash, without sending it.
   *
   * @throws RpcError the chain's refusal
   */
  withhold(transaction: WalletTransaction): Promise<string>
  /** Signs a typed message (EIP-712). */
  sign(typedData: TypedData): Promise<string>
}

/**
 * @param account a private key, or the index of one of the node's accounts
 * @throws RpcError 4100 when the node has no such account
 */
export async function openAccount(
  rpcUrl: string,
  account: `0x${string}` | number,
): Promise<OpenAccount> {
  // Loads the signing code only when needed.
  if (typeof account === 'string')
    return (await import('./localAccount.ts')).openLocalAccount(rpcUrl, account)
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
    sign: (typedData) => callRpc<string>(rpcUrl, 'eth_signTypedData_v4', [address, typedData]),
  }

  /** Estimates gas, which fails for a transaction that reverts; a development node would accept it. */
  async function estimate(transaction: WalletTransaction): Promise<void> {
    await callRpc(rpcUrl, 'eth_estimateGas', [transaction])
  }
}
