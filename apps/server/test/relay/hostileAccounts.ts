import type { DevAccount } from '@payment-intents/testing'
import { concat, type Hex, numberToHex, pad } from 'viem'
import type { Relaying } from './relaying.ts'

/** EIP-1271's word for yes. */
const magic = `1626ba7e${'00'.repeat(28)}`
/** Says yes to any signature where gas has no price, as in `eth_call`, and reverts in a block. */
const accepts: Hex = `0x3a602d577f${magic}60005260206000f35b60006000fd`
/** No private key signs in so many bytes. */
export const longSignature: Hex = `0x${'ab'.repeat(66)}`

/** Accounts whose code says one thing to a simulation and another to a block, and that drop it again (EIP-7702). */
export function hostileAccounts({ chain }: Pick<Relaying, 'chain'>) {
  const [, , , , rich] = chain.accounts as [never, never, never, never, DevAccount]

  return {
    /** @param sharesCode every account has the same code, or each its own */
    async create(count: number, { sharesCode = false } = {}): Promise<DevAccount[]> {
      const accounts = Array.from({ length: count }, (_, index) => ({
        address: pad(numberToHex(0xc0de_0000 + index), { size: 20 }),
        privateKey: pad('0x1', { size: 32 }),
      }))
      await chain.rpc('evm_setAutomine', [false])
      for (const [index, { address }] of accounts.entries()) {
        const own = sharesCode ? '0x' : pad(numberToHex(index), { size: 4 })
        await chain.rpc('anvil_setCode', [address, concat([accepts, own])])
      }
      await chain.rpc('evm_setAutomine', [true])
      for (const { address } of accounts) {
        await chain.pay({ from: rich.address, to: address, amount: 2_000_000n })
      }
      return accounts
    },
    async dropCode(accounts: readonly DevAccount[]): Promise<void> {
      for (const { address } of accounts) await chain.rpc('anvil_setCode', [address, '0x'])
    },
  }
}
