import { limits, windows } from '@payment-intents/contract'
import type { Intent, LinkContext, PaymentLink, PaymentLinkStore } from '@payment-intents/core'
import { isLinkListed } from './isListed.ts'
import { pageOf } from './pageOf.ts'
import type { Records } from './records.ts'

/** The merchant's payment links. */
export function createPaymentLinks(records: Records): PaymentLinkStore {
  const { merchant, clock, intents, visits, placesTaken } = records
  const responses = new Map<string, { fingerprint: string; response: string; at: number }>()
  const ofLink = (id: string) =>
    [...intents.values()].filter(({ paymentLink }) => paymentLink === id)
  const isUnpaid = ({ status }: Intent) => status === 'requires_payment'

  /** A link with the number of its places. */
  function find(id: string): PaymentLink | null {
    const link = records.links.get(id)
    return link ? { ...link, paymentsCount: placesTaken(id) } : null
  }

  function contextOf(origin: string | null): LinkContext {
    const active = [...records.links.values()].filter((link) => link.active)
    return {
      activeLinks: Math.min(active.length, limits.activeLinks),
      isReturnOrigin: isReturnOrigin(origin),
    }
  }

  const isReturnOrigin = (origin: string | null) =>
    records.returnOrigins.some((allowed) => allowed.origin === origin)

  return {
    find: async (_actor, id) => find(id),
    async findForPayer(id) {
      const link = find(id)
      if (!link) return null
      const origin = link.returnUrl === null ? null : new URL(link.returnUrl).origin
      return {
        ...{ link, merchant, merchantName: merchant.name, support: merchant.support },
        isReturnOrigin: isReturnOrigin(origin),
      }
    },
    async findPayment(id, visitor) {
      return ofLink(id).findLast((intent) => visits.get(intent.id)?.visitor === visitor) ?? null
    },
    withClientLock: (_client, work) => work(),
    async countOpen({ id }, client) {
      const open = [...intents.values()].filter(isUnpaid)
      return {
        ofLink: open.filter(({ paymentLink }) => paymentLink === id).length,
        ofClient: open.filter((intent) => visits.get(intent.id)?.client === client).length,
      }
    },
    list: async (_actor, filter) => {
      const links = [...records.links.keys()].toReversed().flatMap((id) => find(id) ?? [])
      return pageOf(links, filter, (link) => isLinkListed(link, filter))
    },
    async create(_actor, { origin, idempotency, picture }, decide) {
      const before = idempotency && responses.get(idempotency.key)
      if (before && clock.now - before.at < windows.idempotency * 1_000) {
        if (before.fingerprint !== idempotency.fingerprint) return { type: 'mismatch' }
        return { type: 'replayed', response: before.response, secretKey: '' }
      }
      const { link, response } = decide({ ...contextOf(origin), outrankedChains: [] })
      records.links.set(link.id, link)
      if (picture) records.pictures.set(link.id, picture)
      if (idempotency) responses.set(idempotency.key, { ...idempotency, response, at: clock.now })
      return { type: 'created', response }
    },
    async underLock(_actor, { id, origin, picture }, decide) {
      const before = find(id)
      if (!before) return null
      const link = decide(before, contextOf(origin))
      records.links.set(id, link)
      if (picture) records.pictures.set(id, picture)
      if (link.picture === null) records.pictures.delete(id)
      return link
    },
  }
}
