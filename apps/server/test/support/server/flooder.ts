import type { DevChain } from '@payment-intents/testing'
import { type Address, type Hex, numberToHex, pad } from 'viem'

/** A stranger's contract that sends a requested number of transfers among a requested number of empty logs. */
export type Flooder = {
  readonly address: Address
  /** Waits until the transaction is in a block. @returns its hash */
  flood(to: Address, flood: { amount: number; transfers: number; logs: number }): Promise<Hex>
}

const words = {
  to: 0,
  amount: 32,
  transfers: 64,
  logs: 96,
  token: 128,
}
const byte = (number: number) => number.toString(16).padStart(2, '0')
/** Code that pushes a word of the calldata. */
const load = (word: keyof typeof words) => `60${byte(words[word])}35`
/**
 * Code that repeats `body` as many times as the number on the stack.
 * @param at where the loop begins
 */
function loop(at: number, body: string): string {
  const to = (place: number) => `61${place.toString(16).padStart(4, '0')}`
  // JUMPDEST DUP1 ISZERO end JUMPI … PUSH1 1 SWAP1 SUB at JUMP, JUMPDEST POP
  const tail = `${body}60019003${to(at)}56`
  const headBytes = 7
  const end = at + headBytes + tail.length / 2
  return `5b8015${to(end)}57${tail}5b50`
}

/** Puts the contract on the chain, with some of the token. */
export async function placeFlooder(chain: DevChain, balance: bigint): Promise<Flooder> {
  const [owner] = chain.accounts
  if (!owner) throw new Error('The development chain has accounts.')
  const address: Address = '0xf1000000000000000000000000000000000000dd'
  await chain.rpc('anvil_setCode', [address, flooderCode()])
  await chain.rpc('evm_setBlockGasLimit', [numberToHex(400_000_000)])
  await chain.pay({ from: owner.address, to: address, amount: balance })
  return {
    address,
    flood(to, { amount, transfers, logs }) {
      const numbers = [amount, transfers, logs].map((number) => numberToHex(number, { size: 32 }))
      const data = `${pad(to)}${numbers.map((word) => word.slice(2)).join('')}${pad(chain.token).slice(2)}`
      const gas = numberToHex(1_000_000 + transfers * 40_000 + logs * 1_000)
      return chain.rpc<Hex>('eth_sendTransaction', [
        { from: owner.address, to: address, data, gas },
      ])
    },
  }
}

function flooderCode(): Hex {
  // Store the selector of transfer(address,uint256) and its arguments in memory.
  const call = `63a9059cbb60e01b5f52${load('to')}600452${load('amount')}602452`
  // CALL(gas, token, 0, 0, 68, 0, 0), and drop the result.
  const send = `5f5f60445f5f${load('token')}5af150`
  const first = `${call}${load('transfers')}`
  const transfers = loop(first.length / 2, send)
  const second = `${first}${transfers}${load('logs')}`
  // LOG0(0, 0)
  return `0x${second}${loop(second.length / 2, '5f5fa0')}00`
}
