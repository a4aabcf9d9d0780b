import { announceTestWallet } from './announceTestWallet.ts'
import { createTestWallet, type WalletQuestion } from './createTestWallet.ts'

type Script = { readonly dataset: Readonly<Record<string, string | undefined>> }

/** The page's globals, which are not declared for Node. */
declare const document: { readonly currentScript: Script | null }
declare function confirm(question: string): boolean

/** The chains of `pnpm start`; either may be missing. */
const chains = 'http://localhost:8545 http://localhost:8546'
const { rpcUrl = chains, account = '1' } = document.currentScript?.dataset ?? {}
const rpcUrls = rpcUrl.trim().split(/[\s,]+/)

// Its accounts belong to a node that signs for everybody, which no real network has.
if (rpcUrls.every(isLoopback)) {
  const wallet = createTestWallet({
    rpcUrl: rpcUrls,
    account: Number(account),
    decide: (question) => (confirm(sentence(question)) ? 'approve' : 'reject'),
  })
  const rdns = 'dev.payment-intents.development-wallet'
  announceTestWallet(wallet, { name: 'Development Wallet', rdns })
} else {
  console.error(
    `The development wallet is not offered: data-rpc-url must be a chain on this machine, such as http://localhost:8545, not ${rpcUrl}.`,
  )
}

function isLoopback(url: string): boolean {
  return URL.canParse(url) && /^(localhost|\[::1\]|127(\.\d+){3})$/.test(new URL(url).hostname)
}

function sentence(question: WalletQuestion): string {
  switch (question.method) {
    case 'eth_requestAccounts':
      return `Development Wallet: show the account ${question.account} to this page?`
    case 'eth_sendTransaction':
    case 'wallet_sendCalls':
      return `Development Wallet: send the payment that this page requests, on ${question.network}? It is worth nothing.`
    case 'eth_signTypedData_v4':
      return `Development Wallet: sign ${question.typedData.primaryType} for this page, on ${question.network}? It is worth nothing.`
    case 'wallet_switchEthereumChain':
    case 'wallet_addEthereumChain':
      return `Development Wallet: change to chain ${Number(question.chainId)}?`
  }
}
