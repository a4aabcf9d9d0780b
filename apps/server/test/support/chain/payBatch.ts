import type { DevChain } from '@payment-intents/testing'
import { encodeFunctionData, getContractAddress, type Hex, parseAbi, size, slice } from 'viem'
import { sendMined } from './sendMined.ts'

type Payout = { readonly to: Hex; readonly amount: bigint }

const abi = parseAbi(['function transfer(address to, uint256 amount)'])

/**
 * Makes many transfers in one transaction, like the contract of a treasury or a Safe: the payer of each is the
 * contract.
 * @returns the transaction's hash
 */
export async function payBatch(
  chain: DevChain,
  from: Hex,
  payouts: readonly Payout[],
): Promise<Hex> {
  const nonce = BigInt(await chain.rpc<Hex>('eth_getTransactionCount', [from, 'latest'])) + 1n
  const batch = getContractAddress({ from, nonce })
  const amount = payouts.reduce((sum, payout) => sum + payout.amount, 0n)
  await chain.pay({ from, to: batch, amount })
  const calls = payouts.map((payout) => callOf(chain.token as Hex, payout))
  // An estimate would be too low, since a call that runs out of gas does not revert the others.
  return sendMined(chain, { from, data: `0x${calls.join('')}00`, gas: '0x989680' })
}

/** Code that calls the token's `transfer`, and continues. */
function callOf(token: Hex, { to, amount }: Payout): string {
  const data = encodeFunctionData({ abi, functionName: 'transfer', args: [to, amount] })
  const words = [0, 32, 64].map((at) => {
    const word = slice(data, at, Math.min(at + 32, size(data))).slice(2)
    return `7f${word.padEnd(64, '0')}60${at.toString(16).padStart(2, '0')}52`
  })
  return `${words.join('')}6000600060446000600073${token.slice(2)}5af150`
}
