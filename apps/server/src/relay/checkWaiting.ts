import { min } from '../chain/bigints.ts'
import { RpcError } from '../chain/rpcError.ts'
import type { Waiting } from '../db/relay/waiting.ts'
import type { RelayContext } from './context.ts'
import type { RelayRpc } from './relayRpc.ts'
import { type Call, tokenCall } from './tokenCall.ts'

/** What is to be done with an authorization that no transaction carries. */
export type Checked =
  | { readonly type: 'ready'; readonly waiting: Waiting; readonly call: Call }
  /** It was never submitted, and will not be. */
  | { readonly type: 'refused'; readonly waiting: Waiting; readonly reason: string }
  /** Its nonce was used, or revoked, in a block so deep that it stays, and that was read twice. */
  | { readonly type: 'over'; readonly waiting: Waiting; readonly block: bigint }
  /** Nothing now: it is used, expires, cannot be looked at, or nodes may know it already. */
  | { readonly type: 'left'; readonly waiting: Waiting; readonly isUsed?: true }

/** The token refuses it in a block of this time; the transaction has to be mined until then. */
const leastSeconds = 10n

/**
 * Looks at the chain once more before money is spent: the payer may have moved his since he signed.
 *
 * @param head the newest block
 */
export function checkWaiting(
  { signer, confirmations }: Pick<RelayContext, 'signer' | 'confirmations'>,
  rpc: RelayRpc,
  waiting: readonly Waiting[],
  head: { readonly number: bigint; readonly timestamp: number },
): Promise<Checked[]> {
  const deepBlock = head.number - BigInt(confirmations) + 1n
  return Promise.all(
    waiting.map((one) =>
      check(one).catch((error): Checked => {
        // What one account's code has a node answer does not hold up the others.
        if (error instanceof RpcError) return { type: 'left', waiting: one }
        throw error
      }),
    ),
  )

  async function check(one: Waiting): Promise<Checked> {
    const refuse = (reason: string): Checked =>
      one.wasSubmitted ? { type: 'left', waiting: one } : { type: 'refused', waiting: one, reason }
    if (one.intent === 'paid') return refuse('intent_paid')
    if (one.intent === 'ended') return refuse('intent_expired')
    const time = BigInt(head.timestamp)
    if (one.validBefore - time <= leastSeconds || one.validAfter >= time)
      return { type: 'left', waiting: one }
    const [hasCode, isUsed] = await Promise.all([rpc.hasCode(one.authorizer), rpc.isUsed(one)])
    if (isUsed) {
      const block = min(deepBlock, one.rereadTo ?? -1n)
      return (await isOver(one, block))
        ? { type: 'over', waiting: one, block }
        : { type: 'left', waiting: one, isUsed }
    }
    const call = tokenCall(one, { hasCode })
    if ((await rpc.simulate(signer.address, call)) === 'passes') {
      return { type: 'ready', waiting: one, call }
    }
    return refuse((await rpc.obstacle(one)) ?? 'signature_invalid')
  }

  /** Not every node has the state of that block. */
  async function isOver(one: Waiting, block: bigint): Promise<boolean> {
    if (block < 0n) return false
    return rpc.isUsed(one, block).catch((error) => {
      if (error instanceof RpcError) return false
      throw error
    })
  }
}
