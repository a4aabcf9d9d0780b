import type { DevAccount } from '@payment-intents/testing'
import {
  type Address,
  createWalletClient,
  type Hex,
  http,
  numberToHex,
  pad,
  zeroAddress,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { baseSepolia } from 'viem/chains'
import { until } from '../../../../../tests/support/until.ts'
import type { Relaying } from './relaying.ts'

/** EIP-1271's magic value. */
const magic = `1626ba7e${'00'.repeat(28)}`
/** Accepts any signature if gas has no price, as in `eth_call`, and reverts in a block. */
const accepts: Hex = `0x3a602d577f${magic}60005260206000f35b60006000fd`
/** No private key's signature has this length. */
export const longSignature: Hex = `0x${'ab'.repeat(66)}`

/** The maximum of authorities in a transaction. Each costs 25,000 gas. */
const delegationsAtOnce = 100

/**
 * Accounts of private keys that delegate to code which behaves differently in a simulation and in a block, and that
 * clear the delegation again: by transactions of type 4 (EIP-7702), which a stranger pays for.
 */
export function hostileAccounts({ chain }: Pick<Relaying, 'chain'>) {
  const [, , , , rich] = chain.accounts as [never, never, never, never, DevAccount]
  const sponsor = createWalletClient({
    account: privateKeyToAccount(rich.privateKey),
    chain: baseSepolia,
    transport: http(chain.url),
  })

  /** @param delegateOf the code of the account with this index */
  async function delegate(
    accounts: readonly DevAccount[],
    { nonce, delegateOf }: { nonce: number; delegateOf: (index: number) => Address },
  ): Promise<void> {
    const authorizations = await Promise.all(
      accounts.map(({ privateKey }, index) =>
        privateKeyToAccount(privateKey).signAuthorization({
          ...{ chainId: chain.chainId, address: delegateOf(index), nonce },
        }),
      ),
    )
    for (let start = 0; start < authorizations.length; start += delegationsAtOnce) {
      const authorizationList = authorizations.slice(start, start + delegationsAtOnce)
      const gas = 100_000n + 30_000n * BigInt(authorizationList.length)
      const to = rich.address
      const hash = await sponsor.sendTransaction({ type: 'eip7702', authorizationList, to, gas })
      await until(async () => {
        const receipt = await chain.rpc<{ status: Hex } | null>('eth_getTransactionReceipt', [hash])
        if (receipt?.status !== '0x1') throw new Error(`no receipt of ${hash}`)
      })
    }
  }

  return {
    /** @param isSameCode whether all accounts have the same code, or each its own */
    async create(count: number, { isSameCode = false } = {}): Promise<DevAccount[]> {
      const accounts = Array.from({ length: count }, (_, index): DevAccount => {
        const privateKey = pad(numberToHex(0xc0de_0000 + index), { size: 32 })
        return { privateKey, address: privateKeyToAccount(privateKey).address }
      })
      const delegates = Array.from({ length: isSameCode ? 1 : count }, (_, index) =>
        pad(numberToHex(0xde1e_0000 + index), { size: 20 }),
      )
      for (const address of delegates) await chain.rpc('anvil_setCode', [address, accepts])
      const delegateOf = (index: number) => delegates[index % delegates.length] ?? zeroAddress
      await delegate(accounts, { nonce: 0, delegateOf })
      for (const { address } of accounts) {
        await chain.pay({ from: rich.address, to: address, amount: 2_000_000n })
      }
      return accounts
    },
    dropCode: (accounts: readonly DevAccount[]) =>
      delegate(accounts, { nonce: 1, delegateOf: () => zeroAddress }),
  }
}
