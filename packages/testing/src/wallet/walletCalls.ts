import type { OpenAccount } from './openAccount.ts'
import type { ReachableChain } from './reachableChains.ts'
import { readCalls } from './requests/readCalls.ts'
import { readCallsStatus, type SentCalls } from './requests/readCallsStatus.ts'
import type { WalletTransaction } from './requests/requestParams.ts'
import { RpcError } from './walletRpcError.ts'

/** The wallet's functions that calls use. */
type Wallet = {
  readonly atomic: 'supported' | 'ready'
  /** @throws RpcError 4100 when the page may use no account, or not this account */
  requireAccount(address?: unknown): OpenAccount
  /** The wallet's current chain. @throws RpcError 4901 when it cannot pay there */
  requireReachable(): Promise<ReachableChain>
  /** The chains that the wallet pays on, independent of the current chain. */
  findReachable(): Promise<ReachableChain[]>
  /** Prompts the owner and returns a function that sends the transaction. */
  approve(
    method: 'wallet_sendCalls',
    transaction: WalletTransaction,
  ): Promise<() => Promise<string>>
}

/**
 * The methods of a wallet that takes calls, by name.
 *
 * @see https://eips.ethereum.org/EIPS/eip-5792
 */
export function walletCalls(wallet: Wallet): Map<string, (params: unknown) => Promise<object>> {
  /** By id. Invariant: rejected and refused calls are not included, so that the page can retry them. */
  const sent = new Map<string, Promise<SentCalls & ReachableChain>>()

  return new Map([
    ['wallet_getCapabilities', capabilities],
    ['wallet_sendCalls', send],
    ['wallet_getCallsStatus', status],
  ])

  async function capabilities(params: unknown): Promise<object> {
    const [address, wanted] = listed(params)
    wallet.requireAccount(address)
    const chainIds = (await wallet.findReachable()).map(({ chainId }) => chainId)
    const requested = Array.isArray(wanted)
      ? chainIds.filter((chain) => wanted.includes(chain))
      : chainIds
    return Object.fromEntries(
      requested.map((chain) => [chain, { atomic: { status: wallet.atomic } }]),
    )
  }

  async function send(params: unknown): Promise<{ id: string }> {
    const sender = wallet.requireAccount().address
    const { id = crypto.randomUUID(), chainId, transaction } = readCalls(params, sender)
    const on = await wallet.requireReachable()
    if (chainId !== on.chainId) {
      throw new RpcError(5710, `This wallet is not on chain ${chainId}; switch the chain first.`)
    }
    if (sent.has(id)) throw new RpcError(5720, 'Calls with this id were sent before.')
    const submit = await wallet.approve('wallet_sendCalls', transaction)
    const sending = submit().then((hash) => ({ id, hash, ...on }))
    sent.set(id, sending)
    try {
      await sending
    } catch (error) {
      sent.delete(id)
      throw error
    }
    return { id }
  }

  async function status(params: unknown): Promise<object> {
    const [id] = listed(params)
    const calls = await sent.get(String(id))
    if (!calls) throw new RpcError(5730, 'This wallet has sent no calls with this id.')
    return readCallsStatus(calls.rpcUrl, calls)
  }
}

function listed(params: unknown): unknown[] {
  return Array.isArray(params) ? params : []
}
