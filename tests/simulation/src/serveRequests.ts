import type { Db } from '@payment-intents/server/src/store/connection/connect.ts'
import type { Hex } from 'viem'
import { createIntent } from './createIntent.ts'
import type { ReadTo } from './oracle/knowledge.ts'
import { type Actors, announce } from './plan/actors.ts'
import type {
  Announcement,
  AuthorizationAction,
  Creation,
  MerchantRequest,
  RefundRequest,
} from './plan/history.ts'
import { requestRefund } from './promisedRefunds.ts'
import { sendMerchantRequest } from './sendMerchantRequest.ts'
import { submitAuthorization } from './submitDrawnAuthorization.ts'

type Request = Creation | Announcement | AuthorizationAction | MerchantRequest | RefundRequest

/**
 * All that reaches the service in one part of a step: merchants create intents, then send requests, and payers
 * announce themselves; requests of one history run in turn.
 *
 * @param count counts what happened, by its name
 * @returns the intents that were created, or that something was granted for; null when there were no requests
 */
export async function serveRequests(
  db: Db,
  actors: Actors,
  step: number,
  during: boolean,
  count: (name: string) => void,
): Promise<ReadonlySet<string> | null> {
  const due = actors.plan.histories.flatMap(({ wallet, actions }) =>
    actions.flatMap((action) => {
      if (!('during' in action) || action.step !== step || action.during !== during) return []
      return [{ wallet, action }]
    }),
  )
  if (due.length === 0) return null

  const granted = new Set<string>()
  const creations = due.filter(isCreation)
  const readTo = creations.length > 0 ? await findReadTo(db, actors.plan.network.chainId) : null
  const create = async ({ wallet, action }: Due<Creation>) => {
    const outcome = await createIntent(db, actors, step, wallet, action, readTo)
    if (outcome.type !== 'created') {
      count(
        outcome.type === 'wallet_refused' ? `named ${action.wallet}: refused` : 'no amount left',
      )
      return
    }
    count('intents')
    if (action.wallet !== 'configured') count(`named ${action.wallet}`)
    if (outcome.intent.referenceOnly) count('reference-only')
    granted.add(outcome.intent.id)
  }
  // The order of amounts between two merchants at one wallet must not depend on the database's timing.
  const isMet = ({ action }: Due<Creation>) =>
    action.wallet !== 'configured' && action.wallet !== 'second'
  await each(
    creations.filter((creation) => !isMet(creation)),
    create,
  )
  for (const creation of creations.filter(isMet)) await create(creation)

  await each(due.filter(isOther), async ({ wallet, action }) => {
    if (action.type === 'hand_in') {
      const outcome = await submitAuthorization(db, actors, wallet, action)
      if (outcome) count(`handed in: ${outcome}`)
      const intent = actors.intents.get(`${wallet}:${action.intent}`)
      if (intent && outcome === 'accepted') granted.add(intent.id)
    } else if (action.type === 'refund') {
      const id = await requestRefund(db, actors, step, wallet, action)
      count(id === null ? 'refund: refused' : 'refunds')
      if (id !== null) granted.add(id)
    } else if (action.type !== 'announce') {
      const { name, changed } = await sendMerchantRequest(db, actors, step, wallet, action)
      count(name)
      for (const id of changed) granted.add(id)
    } else if (await announce(db, actors, wallet, action)) count('announced')
  })
  return granted
}

type Due<Kind extends Request> = { readonly wallet: number; readonly action: Kind }

function isCreation(due: Due<Request>): due is Due<Creation> {
  return due.action.type === 'create'
}

function isOther(due: Due<Request>): due is Due<Exclude<Request, Creation>> {
  return due.action.type !== 'create'
}

/** All histories at once, each in its own order. */
async function each<Kind extends Request>(
  due: readonly Due<Kind>[],
  work: (dueAction: Due<Kind>) => Promise<void>,
): Promise<void> {
  const histories = Map.groupBy(due, ({ wallet }) => wallet)
  await Promise.all(
    [...histories.values()].map(async (actionsOfWallet) => {
      for (const dueAction of actionsOfWallet) await work(dueAction)
    }),
  )
}

async function findReadTo(db: Db, chainId: number): Promise<ReadTo | null> {
  const { rows } = await db.pool.query<{ timestamp: bigint | null; hash: Hex | null }>(
    `select c.scanned_timestamp as timestamp, b.hash
     from chain_cursors c
     left join chain_blocks b on b.chain_id = c.chain_id and b.number = c.scanned_to
     where c.chain_id = $1`,
    [chainId],
  )
  const [row] = rows
  return row?.timestamp ? { timestamp: Number(row.timestamp), hash: row.hash } : null
}
