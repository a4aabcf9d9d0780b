import type { Actor, PaymentLinkCreation, PaymentLinkStore } from '@payment-intents/core'
import { type Db, transaction } from '../connection/connect.ts'
import { findEarlier, insertKey } from '../merchants/idempotencyKeys.ts'
import { isRegisteredOrigin } from '../merchants/returnOrigins.ts'
import { listPaymentLinks } from './listPaymentLinks.ts'
import { countOpen, findForPayer, findPayment } from './payersLinks.ts'
import {
  countActiveLinks,
  findLink,
  findOutrankedChains,
  insertLink,
  lockActiveLinks,
  lockLink,
  saveLink,
} from './paymentLinks.ts'
import { removePicture, setPicture } from './pictures.ts'

/**
 * Creates the store of payment links in PostgreSQL.
 * @param withPayerSlot limits the concurrency of payers' reads
 */
export function createPaymentLinkStore(
  db: Db,
  withPayerSlot: <Result>(work: () => Promise<Result>) => Promise<Result>,
  withClientLock: PaymentLinkStore['withClientLock'],
): PaymentLinkStore {
  return {
    find: (actor, id) => findLink(db.pool, actor, id),
    findForPayer: (id) => withPayerSlot(() => findForPayer(db.pool, id)),
    findPayment: (id, visitor) => withPayerSlot(() => findPayment(db.pool, id, visitor)),
    withClientLock,
    countOpen: (link, client) => withPayerSlot(() => countOpen(db.pool, link, client)),
    list: (actor, filter) => listPaymentLinks(db.pool, actor, filter),
    create: (actor, request, decide) => create(db, actor, request, decide),
    underLock: (actor, request, decide) => underLock(db, actor, request, decide),
  }
}

type Create = PaymentLinkStore['create']
type UnderLock = PaymentLinkStore['underLock']

function create(
  db: Db,
  actor: Actor,
  { origin, idempotency, picture }: Parameters<Create>[1],
  decide: Parameters<Create>[2],
): Promise<PaymentLinkCreation> {
  const operation = 'createPaymentLink'
  return transaction(db, async (client): Promise<PaymentLinkCreation> => {
    await lockActiveLinks(client, actor)
    // Read it under the lock: of two requests with the same key, the second is replayed.
    const earlier = idempotency && (await findEarlier(client, operation, actor, idempotency))
    if (earlier) return earlier
    const { link, response } = decide({
      activeLinks: await countActiveLinks(client, actor),
      isReturnOrigin: await isRegisteredOrigin(client, actor.merchantId, origin),
      outrankedChains: await findOutrankedChains(client, actor),
    })
    await insertLink(client, link)
    if (picture) await setPicture(client, link.id, picture)
    if (idempotency) await insertKey(client, operation, actor, { idempotency, response })
    return { type: 'created', response }
  })
}

/** Locks the merchant before the link, in the same order as a creation. */
function underLock(
  db: Db,
  actor: Actor,
  { id, origin, activates, picture }: Parameters<UnderLock>[1],
  decide: Parameters<UnderLock>[2],
): ReturnType<UnderLock> {
  return transaction(db, async (client) => {
    if (activates) await lockActiveLinks(client, actor)
    const before = await lockLink(client, actor, id)
    if (!before) return null
    const link = decide(before, {
      activeLinks: activates ? await countActiveLinks(client, actor) : 0,
      isReturnOrigin: await isRegisteredOrigin(client, actor.merchantId, origin),
    })
    await saveLink(client, link)
    if (link.picture !== before.picture) {
      await (picture ? setPicture(client, id, picture) : removePicture(client, id))
    }
    return link
  })
}
