import { createTestWallet, type TestWallet } from '@payment-intents/testing/wallet'
import { readAuthorization } from './readAuthorization.ts'
import { readMeaning } from './readMeaning.ts'
import type { ConsentRequest } from './requestConsent.ts'

/** EIP-1193. */
export type Provider = TestWallet

type Options = {
  /** RPC URLs of the development chains, whose nodes have the keys. */
  readonly rpcUrls: readonly string[]
  /** Index of the node's account that pays. */
  readonly accountIndex: number
  /** A smart wallet accepts calls (EIP-5792). */
  readonly kind: 'everyday' | 'smart'
  prompt(request: ConsentRequest): Promise<'approved' | 'rejected'>
}

/** A fresh wallet is on Ethereum, as most are; a development chain must be added first. */
const ethereum = 1

/** Creates the demo wallet's provider. It prompts its payer like an extension wallet; its money is worthless. */
export function createProvider({ rpcUrls, accountIndex, kind, prompt }: Options): Provider {
  return createTestWallet({
    rpcUrl: rpcUrls,
    account: accountIndex,
    chainId: ethereum,
    ...(kind === 'smart' && { atomic: 'supported' }),
    async decide(question) {
      if (question.method === 'eth_requestAccounts') {
        return decisionOf(
          await prompt({ kind: 'connect', account: question.account, accountIndex }),
        )
      }
      if (question.method === 'eth_signTypedData_v4') {
        const { account, typedData, network } = question
        const authorization = readAuthorization(typedData)
        const message = { account, accountIndex, authorization, typedData, network }
        return decisionOf(await prompt({ kind: 'sign', ...message }))
      }
      if (!('transaction' in question)) return 'approve'
      const { account, transaction, network } = question
      const meaning = readMeaning(transaction)
      const { to } = transaction
      return decisionOf(await prompt({ kind: 'send', account, accountIndex, to, meaning, network }))
    },
  })
}

function decisionOf(response: 'approved' | 'rejected') {
  return response === 'approved' ? 'approve' : 'reject'
}
