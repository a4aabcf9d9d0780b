import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { callRpc } from './callRpc.ts'
import type { OpenAccount } from './openAccount.ts'

/** Signs in this process, so that any node will do. */
export async function signHere(rpcUrl: string, privateKey: Hex): Promise<OpenAccount> {
  const account = privateKeyToAccount(privateKey)
  return {
    address: account.address,
    async send(transaction) {
      const [chainId, nonce, gas, gasPrice] = await Promise.all([
        callRpc<Hex>(rpcUrl, 'eth_chainId', []),
        callRpc<Hex>(rpcUrl, 'eth_getTransactionCount', [account.address, 'pending']),
        callRpc<Hex>(rpcUrl, 'eth_estimateGas', [transaction]),
        callRpc<Hex>(rpcUrl, 'eth_gasPrice', []),
      ])
      const signed = await account.signTransaction({
        type: 'legacy',
        chainId: Number(chainId),
        nonce: Number(nonce),
        gas: BigInt(gas),
        gasPrice: BigInt(gasPrice),
        to: transaction.to as Hex,
        value: BigInt(transaction.value ?? 0),
        ...(transaction.data ? { data: transaction.data as Hex } : {}),
      })
      return callRpc<string>(rpcUrl, 'eth_sendRawTransaction', [signed])
    },
  }
}
