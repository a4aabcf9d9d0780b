import type { ChainFacts } from '@payment-intents/contract/chains'
import { readWallet } from '../../../../packages/browser/src/wallet/provider/readWallet.ts'
import { onChainChanged, switchChain } from '../../../../packages/browser/src/wallet/switchChain.ts'
import { texts } from '../texts.ts'
import type { Wallet } from './useWallets.ts'

/** The wallet did not sign. The message is shown to the person. */
export class WalletRefusal extends Error {
  override readonly name = 'WalletRefusal'
}

/** Signs a text with an account (EIP-191). @throws {WalletRefusal} */
export async function signText(wallet: Wallet, account: string, text: string): Promise<string> {
  await connect(wallet, account)
  const bytes = new TextEncoder().encode(text)
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return sign(wallet, 'personal_sign', [`0x${hex}`, account])
}

/**
 * Signs with the wallet's chosen account, on its chain (EIP-712).
 *
 * @param typedDataOf the typed data for an account
 * @throws {WalletRefusal}
 */
export async function signTypedData(
  wallet: Wallet,
  facts: ChainFacts,
  typedDataOf: (account: string) => object,
): Promise<{ account: string; signature: string }> {
  const [account] = await accountsOf(wallet)
  if (account === undefined) throw new WalletRefusal(texts.wallet.refused)
  const ending = new AbortController()
  const { chainId, name, nativeSymbol, publicRpcUrl: rpcUrl, explorerUrl } = facts
  const problem = await switchChain(
    wallet.provider,
    readWallet(wallet.provider, ending.signal),
    { chainId, name, nativeSymbol, rpcUrl, explorerUrl },
    {
      signal: ending.signal,
      onChain: (listener, signal) => onChainChanged(wallet.provider, listener, signal),
      onStep: () => {},
    },
  )
  ending.abort()
  if (problem) throw new WalletRefusal(texts.wallet.otherNetwork(name))
  const typedData = JSON.stringify(typedDataOf(account))
  return { account, signature: await sign(wallet, 'eth_signTypedData_v4', [account, typedData]) }
}

async function connect(wallet: Wallet, account: string): Promise<void> {
  const accounts = await accountsOf(wallet)
  if (accounts.some((each) => each.toLowerCase() === account.toLowerCase())) return
  throw new WalletRefusal(texts.wallet.otherAccount(account))
}

async function accountsOf({ provider }: Wallet): Promise<string[]> {
  const accounts = await provider.request({ method: 'eth_requestAccounts' }).catch(refused)
  return Array.isArray(accounts) ? accounts.filter((each) => typeof each === 'string') : []
}

async function sign({ provider }: Wallet, method: string, params: unknown[]): Promise<string> {
  const signature = await provider.request({ method, params }).catch(refused)
  if (typeof signature === 'string' && /^0x([\da-f]{2})+$/i.test(signature)) return signature
  throw new WalletRefusal(texts.wallet.noSignature)
}

function refused(): never {
  throw new WalletRefusal(texts.wallet.refused)
}
