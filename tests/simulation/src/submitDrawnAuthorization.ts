import type { Db } from '@payment-intents/server/src/store/connection/connect.ts'
import { findIntents } from '@payment-intents/server/src/store/payment-intents/paymentIntents.ts'
import { submit } from '@payment-intents/server/test/support/server/directActions.ts'
import { type Actors, drawnNonce, payerOf } from './plan/actors.ts'
import type { AuthorizationAction } from './plan/history.ts'

/**
 * Somebody, the payer or a witness, submits an authorization whose nonce its payer drew for an intent. The token accepts its signature; a
 * node that lags may not know yet that it is used.
 *
 * @returns whether it was accepted; null where there is nothing to hand in
 */
export async function submitAuthorization(
  db: Db,
  { plan, knowledge, intents }: Actors,
  wallet: number,
  action: AuthorizationAction,
): Promise<string | null> {
  const [intent, paid] = [action.intent, action.paid].map((index) =>
    intents.get(`${wallet}:${index}`),
  )
  const { chain, chainId } = knowledge
  if (!intent || !paid || intent.chainId !== chainId) return null
  const stored = (await findIntents(db.pool, [intent.id])).get(intent.id)?.value
  if (!stored) throw new Error(`${intent.id} is not stored.`)
  const authorizer = payerOf(plan.seed, wallet, action.payer)
  const nonce = drawnNonce(plan.seed, wallet, action.transaction)
  const logs = chain.canonical.flatMap((block) => block.logs)
  const isUsed = logs.some((log) => log.nonce === nonce && log.from === authorizer)
  const options = {
    clock: () => ({ now: chain.head.timestamp * 1_000 }),
    simulateTransfer: async () => ({
      ...{
        codeHash: '0x01' as const,
        simulated: 'passed' as const,
        nonceUsed: isUsed && !action.isLagging,
      },
      ...{ isPaused: false, isPayerBlocked: false, isRecipientBlocked: false },
      balance: 2n ** 200n,
    }),
  }
  const authorization = {
    ...{ from: authorizer, to: paid.wallet, value: String(paid.amount), nonce },
    ...{ validAfter: '0', validBefore: String(intent.expiresAt) },
  }
  // An account's code: the chain decides which signatures it accepts.
  const handedIn = { intent: stored, authorization, signature: '0x00', source: 'x402' } as const
  const { type } = await submit(db, options, handedIn)
  if (type !== 'accepted') return type
  const { rowCount } = await db.pool.query(
    'select from transfers where tx_hash = any ($1) limit 1',
    [logs.filter((log) => log.nonce === nonce).map(({ transaction }) => transaction.hash)],
  )
  knowledge.submitted.push({
    ...{ intentId: intent.id, authorizer, nonce, moment: chain.advanceClock() },
    wasRecorded: rowCount !== 0,
  })
  return type
}
