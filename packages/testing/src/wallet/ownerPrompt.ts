import type { WalletQuestion } from './createTestWallet.ts'
import { RpcError } from './rpcError.ts'
import type { WalletDecision } from './submit.ts'

export type PromptOwner = (question: WalletQuestion) => Promise<WalletDecision>

/** Asks the wallet's owner one question at a time, as extension wallets do. A rejection is an error, 4001. */
export function createOwnerPrompt(
  decide: (question: WalletQuestion) => WalletDecision | Promise<WalletDecision>,
): PromptOwner {
  let isPrompting = false
  return async (question) => {
    if (isPrompting) throw new RpcError(-32002, 'This wallet is already asking; answer it first.')
    isPrompting = true
    try {
      const decision = await decide(question)
      // `asking` stays true: further questions are refused.
      if (decision === 'hang') await new Promise<never>(() => {})
      if (decision === 'reject') throw new RpcError(4001, 'The payer rejected this.')
      return decision
    } finally {
      isPrompting = false
    }
  }
}
