import type { TransferAuthorization } from '@payment-intents/contract'
import { readSignature, validateSignedTransfer } from '@payment-intents/core'
import type { Hex } from 'viem'
import { min } from '../../chain/rpc/bigints.ts'
import { RpcError } from '../../chain/rpc/rpcError.ts'
import type { Waiting } from '../../store/relaying/waitingAuthorizations.ts'
import type { RelayContext } from '../relayContext.ts'
import type { RelayRpc } from '../rpc/relayRpc.ts'
import { simulationMs, within } from '../rpc/simulateAuthorization.ts'
import { type Call, tokenCall } from '../rpc/tokenCall.ts'

/** The decision of a cycle about an authorization that waits for its broadcast. */
export type Decision =
  | {
      readonly type: 'ready'
      readonly waiting: Waiting
      readonly call: Call
      readonly codeHash: Hex | null
    }
  /** It was never broadcast, and never will be. */
  | { readonly type: 'refused'; readonly waiting: Waiting; readonly reason: string }
  /** Its nonce was used or revoked in a final block that the follower has read twice. */
  | { readonly type: 'nonce_used_finally'; readonly waiting: Waiting; readonly block: bigint }
  /** It waits for a later cycle. `nonceUsed`: somebody else broadcast it, or its account revoked it. */
  | {
      readonly type: 'postponed'
      readonly waiting: Waiting
      readonly nonceUsed?: true
      readonly error?: unknown
    }

/** The minimum time to get mined: from `validBefore` on, the token refuses the authorization. */
const minimumSeconds = 10n

/**
 * Validates authorizations again before gas is spent: payers may have moved their money, and their accounts may have
 * changed. A failure affects no other authorization.
 *
 * @param head the newest block
 */
export function validateWaiting(
  { facts, confirmations }: Pick<RelayContext, 'facts' | 'confirmations'>,
  rpc: Pick<RelayRpc, 'isUsed' | 'simulate'>,
  waiting: readonly Waiting[],
  head: { readonly number: bigint; readonly timestamp: number },
): Promise<Decision[]> {
  const { chainId } = facts
  const deepBlock = head.number - BigInt(confirmations) + 1n
  return Promise.all(
    waiting.map((candidate) =>
      within(simulationMs, decide(candidate)).catch(
        (error): Decision => ({ type: 'postponed', waiting: candidate, error }),
      ),
    ),
  )

  async function decide(candidate: Waiting): Promise<Decision> {
    if (candidate.subjectState === 'paid') return refuse(candidate, 'intent_paid')
    if (candidate.subjectState === 'ended') return refuse(candidate, 'intent_expired')
    const time = BigInt(head.timestamp)
    if (candidate.validBefore - time <= minimumSeconds || candidate.validAfter >= time)
      return { type: 'postponed', waiting: candidate }
    const authorization = authorizationOf(candidate)
    const parsedSignature = await readSignature(chainId, authorization, candidate.signature)
    const simulate: Parameters<typeof validateSignedTransfer>[0] = (signed) =>
      rpc.simulate(chainId, signed)
    const validated = await validateSignedTransfer(simulate, { authorization, parsedSignature })
    if (validated.type === 'unavailable') return { type: 'postponed', waiting: candidate }
    if (validated.type === 'refused') return refuse(candidate, validated.reason)
    const { signature, simulation, refusal } = validated
    if (refusal?.reason === 'authorization_used') {
      const block = min(deepBlock, candidate.rereadTo ?? -1n)
      return (await isUsedFinally(candidate, block))
        ? { type: 'nonce_used_finally', waiting: candidate, block }
        : { type: 'postponed', waiting: candidate, nonceUsed: true }
    }
    // The node may have failed, so this is no reason to refuse.
    if (refusal?.reason === 'gasless_unavailable' && simulation.simulated === 'unknown')
      return { type: 'postponed', waiting: candidate }
    if (refusal) return refuse(candidate, refusal.reason)
    const { codeHash } = simulation
    const call = tokenCall({ ...candidate, signature }, { hasCode: codeHash !== null })
    return { type: 'ready', waiting: candidate, call, codeHash }
  }

  /** Whether the nonce was used as of a final block. false if the node does not have the state of that block. */
  async function isUsedFinally(candidate: Waiting, block: bigint): Promise<boolean> {
    if (block < 0n) return false
    return rpc.isUsed(candidate, block).catch((error) => {
      if (error instanceof RpcError) return false
      throw error
    })
  }
}

/**
 * Refuses an authorization that was never recorded in a transaction. Any other is postponed, since anybody can broadcast
 * it again. A refund's authorization is postponed, too: its amount stays reserved while the signature is valid.
 */
function refuse(waiting: Waiting, reason: string): Decision {
  const stays = waiting.wasRecorded || waiting.refundId !== null
  return stays ? { type: 'postponed', waiting } : { type: 'refused', waiting, reason }
}

function authorizationOf(candidate: Waiting): TransferAuthorization {
  return {
    ...{
      from: candidate.authorizer,
      to: candidate.recipient,
      value: String(candidate.amount),
      nonce: candidate.nonce,
    },
    ...{ validAfter: String(candidate.validAfter), validBefore: String(candidate.validBefore) },
  }
}
