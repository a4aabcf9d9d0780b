import type { WalletQuestion } from './createTestWallet.ts'
import type { WalletDecision } from './submit.ts'
import { RpcError } from './walletRpcError.ts'

export type PromptOwner = (question: WalletQuestion) => Promise<WalletDecision>

/** Prompts the wallet's owner, with a single open prompt, as extension wallets do. A rejection is error 4001. */
export function createOwnerPrompt(
  decide: (question: WalletQuestion) => WalletDecision | Promise<WalletDecision>,
): PromptOwner {
  let isPrompting = false
  return async (question) => {
    if (isPrompting)
      throw new RpcError(
        -32002,
        'This wallet already has an open request: approve or reject it first.',
      )
    isPrompting = true
    try {
      const decision = await decide(question)
      // The prompt stays open, so that further requests fail.
      if (decision === 'hang') await new Promise<never>(() => {})
      if (decision === 'reject') throw new RpcError(4001, 'The payer rejected this.')
      return decision
    } finally {
      isPrompting = false
    }
  }
}
