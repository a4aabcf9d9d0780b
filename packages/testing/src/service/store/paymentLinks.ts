import { limits, windows } from '@payment-intents/contract'
import type { LinkSurroundings, PaymentLink, PaymentLinkStore } from '@payment-intents/core'
import { isLinkListed } from './filters.ts'
import { pageOf } from './pageOf.ts'
import type { Records } from './records.ts'

/** The merchant's payment links. */
export function createPaymentLinks({ merchant, clock }: Records): PaymentLinkStore {
  /** In order of creation. */
  const links = new Map<string, PaymentLink>()
  const kept = new Map<string, { fingerprint: string; response: string; at: number }>()

  function surroundings(origin: string | null): LinkSurroundings {
    const active = [...links.values()].filter((link) => link.active)
    return {
      activeLinks: Math.min(active.length, limits.activeLinks),
      isReturnOrigin: origin !== null && merchant.returnOrigins.includes(origin),
    }
  }

  return {
    find: async (_actor, id) => links.get(id) ?? null,
    list: async (_actor, filter) =>
      pageOf([...links.values()].toReversed(), filter, (link) => isLinkListed(link, filter)),
    async create(_actor, { origin, idempotency }, decide) {
      const before = idempotency && kept.get(idempotency.key)
      if (before && clock.now - before.at < windows.idempotency * 1_000) {
        if (before.fingerprint !== idempotency.fingerprint) return { type: 'mismatch' }
        return { type: 'replayed', response: before.response, secretKey: '' }
      }
      const { link, response } = decide(surroundings(origin))
      links.set(link.id, link)
      if (idempotency) kept.set(idempotency.key, { ...idempotency, response, at: clock.now })
      return { type: 'created', response }
    },
    async underLock(_actor, { id, origin }, decide) {
      const before = links.get(id)
      if (!before) return null
      const link = decide(before, surroundings(origin))
      links.set(id, link)
      return link
    },
  }
}
