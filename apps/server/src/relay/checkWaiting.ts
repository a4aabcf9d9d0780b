import type { Waiting } from '../db/relay/waiting.ts'
import type { RelayContext } from './context.ts'
import type { RelayRpc } from './relayRpc.ts'
import { type Call, tokenCall } from './tokenCall.ts'

/** What is to be done with an authorization that no transaction carries. */
export type Checked =
  | { readonly type: 'ready'; readonly waiting: Waiting; readonly call: Call }
  /** It was never submitted, and will not be. */
  | { readonly type: 'refused'; readonly waiting: Waiting; readonly reason: string }
  /** Nothing now: it is used, expires, or nodes may know it already. */
  | { readonly type: 'left' }

/** The token refuses it in a block of this time; the transaction has to be mined until then. */
const leastSeconds = 10n

/**
 * Looks at the chain once more before money is spent: the payer may have moved his since he signed.
 *
 * @param now the chain's clock, Unix seconds
 * @throws {RpcError}
 */
export function checkWaiting(
  { signer }: Pick<RelayContext, 'signer'>,
  rpc: RelayRpc,
  waiting: readonly Waiting[],
  now: number,
): Promise<Checked[]> {
  return Promise.all(waiting.map((one) => check(one)))

  async function check(one: Waiting): Promise<Checked> {
    const refuse = (reason: string): Checked =>
      one.wasSubmitted ? { type: 'left' } : { type: 'refused', waiting: one, reason }
    if (one.intent === 'paid') return refuse('intent_paid')
    if (one.intent === 'ended') return refuse('intent_expired')
    const time = BigInt(now)
    if (one.validBefore - time <= leastSeconds || one.validAfter >= time) return { type: 'left' }
    const [hasCode, isUsed] = await Promise.all([
      rpc.hasCode(one.authorizer),
      rpc.isUsed(one.token, one.authorizer, one.nonce),
    ])
    // Somebody else submitted it: the chain's reader finds the payment.
    if (isUsed) return { type: 'left' }
    const call = tokenCall(one, { hasCode })
    if ((await rpc.simulate(signer.address, call)) === 'passes') {
      return { type: 'ready', waiting: one, call }
    }
    return refuse((await rpc.obstacle(one)) ?? 'signature_invalid')
  }
}
