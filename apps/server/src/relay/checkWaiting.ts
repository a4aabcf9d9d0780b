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
  /** Nothing now: it is used, expires, cannot be looked at, or nodes may know it already. */
  | { readonly type: 'left'; readonly waiting: Waiting; readonly isUsed?: true }

/** The token refuses it in a block of this time; the transaction has to be mined until then. */
const leastSeconds = 10n

/**
 * Looks at the chain once more before money is spent: the payer may have moved his since he signed.
 *
 * @param now the chain's clock, Unix seconds
 */
export function checkWaiting(
  { signer }: Pick<RelayContext, 'signer'>,
  rpc: RelayRpc,
  waiting: readonly Waiting[],
  now: number,
): Promise<Checked[]> {
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
    const time = BigInt(now)
    if (one.validBefore - time <= leastSeconds || one.validAfter >= time)
      return { type: 'left', waiting: one }
    const [hasCode, isUsed] = await Promise.all([
      rpc.hasCode(one.authorizer),
      rpc.isUsed(one.token, one.authorizer, one.nonce),
    ])
    // Somebody else submitted it: the chain's reader finds the payment.
    if (isUsed) return { type: 'left', waiting: one, isUsed }
    const call = tokenCall(one, { hasCode })
    if ((await rpc.simulate(signer.address, call)) === 'passes') {
      return { type: 'ready', waiting: one, call }
    }
    return refuse((await rpc.obstacle(one)) ?? 'signature_invalid')
  }
}
