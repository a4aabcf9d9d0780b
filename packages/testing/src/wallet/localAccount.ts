import type { Hex, TypedDataDefinition } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { keccak256 } from 'viem/utils'
import { callRpc } from './callRpc.ts'
import type { OpenAccount } from './openAccount.ts'
import type { WalletTransaction } from './requests/requestParams.ts'

/** Signs in this process, so that the node needs no keys. */
export async function openLocalAccount(rpcUrl: string, privateKey: Hex): Promise<OpenAccount> {
  const account = privateKeyToAccount(privateKey)

  async function sign(transaction: WalletTransaction, gasLimit?: string): Promise<Hex> {
    const [chainId, nonce, gas, gasPrice] = await Promise.all([
      callRpc<Hex>(rpcUrl, 'eth_chainId', []),
      callRpc<Hex>(rpcUrl, 'eth_getTransactionCount', [account.address, 'pending']),
      gasLimit ?? callRpc<Hex>(rpcUrl, 'eth_estimateGas', [transaction]),
      callRpc<Hex>(rpcUrl, 'eth_gasPrice', []),
    ])
    return account.signTransaction({
      type: 'legacy',
      chainId: Number(chainId),
      nonce: Number(nonce),
      gas: BigInt(gas),
      gasPrice: BigInt(gasPrice),
      to: transaction.to as Hex,
      value: BigInt(transaction.value ?? 0),
      ...(transaction.data ? { data: transaction.data as Hex } : {}),
    })
  }

  return {
    address: account.address,
    async send(transaction, gasLimit) {
      const signed = await sign(transaction, gasLimit)
      return callRpc<string>(rpcUrl, 'eth_sendRawTransaction', [signed])
    },
    async withhold(transaction) {
      return keccak256(await sign(transaction))
    },
    sign: (typedData) => account.signTypedData(typedData as TypedDataDefinition),
  }
}
