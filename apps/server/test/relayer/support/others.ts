import type { DevAccount } from '@payment-intents/testing'
import { type Address, encodeFunctionData, erc20Abi, type Hex, numberToHex, parseAbi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect } from 'vitest'
import { authorizedTransfer } from '../../support/chain/signAuthorization.ts'
import type { HandedIn, Relaying } from './relaying.ts'

/** Actions of payers and strangers, and changes of the gas price, on a relayer's chain. */
export function othersOf(relaying: Pick<Relaying, 'chain' | 'address'>) {
  return { dear, setBalance, revoke, submitElsewhere, balanceOf, transfer, sendAsRelayer }

  /** Mines this many blocks with this base fee. */
  async function dear(fee: bigint, blocks: number): Promise<void> {
    for (let block = 0; block < blocks; block++) {
      await relaying.chain.rpc('anvil_setNextBlockBaseFeePerGas', [numberToHex(fee)])
      await relaying.chain.mine()
    }
  }

  async function setBalance(wei: bigint): Promise<void> {
    await relaying.chain.rpc('anvil_setBalance', [relaying.address, numberToHex(wei)])
  }

  /** Cancels an authorization, as its payer can. */
  async function revoke({ message: { from, nonce } }: HandedIn, maxFeePerGas?: Hex): Promise<void> {
    const { chain } = relaying
    const { privateKey } = chain.accounts[1] ?? expect.fail('ten accounts')
    const args = { authorizer: from as Address, nonce: nonce as Hex }
    const signature = await privateKeyToAccount(privateKey).signTypedData({
      domain: {
        name: 'USDC',
        version: '2',
        chainId: chain.chainId,
        verifyingContract: chain.token,
      },
      primaryType: 'CancelAuthorization',
      types: {
        CancelAuthorization: [
          { name: 'authorizer', type: 'address' },
          { name: 'nonce', type: 'bytes32' },
        ],
      },
      message: args,
    })
    const data = encodeFunctionData({
      abi: parseAbi(['function cancelAuthorization(address, bytes32, bytes)']),
      args: [args.authorizer, args.nonce, signature],
    })
    const call = { from, to: chain.token, data, ...feesOf(maxFeePerGas) }
    await chain.rpc('eth_sendTransaction', [{ ...call, gas: '0x30d40' }])
  }

  /** Submits an authorization, as anybody who has read it can. */
  async function submitElsewhere({ message, signature }: HandedIn, maxFeePerGas?: Hex) {
    const { chain } = relaying
    const from = chain.accounts[5]?.address
    const data = authorizedTransfer(message, signature)
    const call = { from, to: chain.token, data, ...feesOf(maxFeePerGas) }
    await chain.rpc('eth_sendTransaction', [{ ...call, gas: '0x30d40' }])
  }

  async function balanceOf(account: Address): Promise<bigint> {
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [account] })
    return BigInt(await relaying.chain.rpc<Hex>('eth_call', [{ to: relaying.chain.token, data }]))
  }

  /** Transfers USDC before all other transactions of the block. */
  async function transfer(from: DevAccount, to: DevAccount, amount: bigint): Promise<void> {
    const args = [to.address, amount] as const
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args })
    const fees = { maxFeePerGas: '0x174876e800', maxPriorityFeePerGas: '0x174876e800' }
    const call = { from: from.address, to: relaying.chain.token, data, gas: '0x30d40', ...fees }
    await relaying.chain.rpc('eth_sendTransaction', [call])
  }

  function sendAsRelayer(nonce: number, fee?: bigint): Promise<Hex> {
    const { address: from } = relaying
    const fees = feesOf(fee === undefined ? undefined : numberToHex(fee))
    const call = { from, to: from, nonce: `0x${nonce.toString(16)}`, gas: '0x5208', ...fees }
    return relaying.chain.rpc<Hex>('eth_sendTransaction', [call])
  }
}

function feesOf(maxFeePerGas?: Hex) {
  return maxFeePerGas ? { maxFeePerGas, maxPriorityFeePerGas: maxFeePerGas } : {}
}
