import { rateLimited } from '@payment-intents/core'
import { boundedMap } from '../../lib/boundedMap.ts'
import { createConcurrencyLimiter } from '../../lib/concurrencyLimiter.ts'
import { hashApiKey, isWellFormedApiKey } from '../../lib/crypto/apiKey.ts'
import { coalesceReads } from '../../store/connection/coalesceReads.ts'
import type { Db } from '../../store/connection/connect.ts'
import type { DatabaseWatch } from '../../store/connection/watchDatabase.ts'
import {
  type ApiKeyOwner,
  findApiKeyOwners,
  storeApiKeyUse,
  useEverySeconds,
} from '../../store/merchants/apiKeys.ts'
import type { Notifications } from '../../store/notifications.ts'
import { createRateLimit, type Limit } from '../limits/rateLimit.ts'

type ApiKeyLookup =
  | { readonly type: 'found'; readonly owner: ApiKeyOwner }
  | { readonly type: 'refused'; readonly why: 'malformed' | 'unknown' | 'revoked' }

/**
 * Looks up an API key that an address sends.
 * @throws {HttpError} `rate_limited` if too many of its keys were invalid
 */
export type ApiKeyCache = (key: string, address: string) => Promise<ApiKeyLookup>

/** A key that was valid when it was read. Times are in milliseconds. */
type ValidKey = {
  readonly owner: ApiKeyOwner
  /** The time at which the statement began. It may have missed later changes. */
  readonly readAt: number
  notedAt: number
}

/** The longest time that a change stays unnoticed if its notification is lost. */
const validForMs = 1_000
/** Keys are random: a rejected key stays invalid, so this only bounds memory. */
const rejectedForMs = 60_000
const maxCachedKeys = 10_000
const maxKeysPerStatement = 1_000

/**
 * Caches keys and their merchants for at most a second, and no longer than until a notification of a change. The
 * statement that reads a key again also reads all keys that will soon be needed: those read more than half a second ago
 * and used since.
 *
 * An invalid key is read at most once a minute. An address that sent too many invalid keys must wait, but not with a
 * key that was valid before: its merchant continues.
 */
export function createApiKeyCache({
  db,
  database,
  notifications,
  keyLimit,
}: {
  readonly db: Db
  readonly database: DatabaseWatch
  readonly notifications: Pick<Notifications, 'onKeysChanged'>
  /** Limit of rejected keys from one address. */
  readonly keyLimit: Limit
}): ApiKeyCache {
  const now = () => performance.now()
  const failures = createRateLimit({ ...keyLimit, now })
  const limiter = createConcurrencyLimiter({ limit: 4, waiting: 100, waitMs: 2_000, database })
  const valid = boundedMap<ValidKey>(maxCachedKeys)
  const used = new Set<string>()
  const inFlight = new Map<string, Promise<ApiKeyLookup>>()
  const rejected = boundedMap<{ lookup: ApiKeyLookup & { type: 'refused' }; until: number }>(
    maxCachedKeys,
  )
  let changedAt = Number.NEGATIVE_INFINITY
  notifications.onKeysChanged(() => {
    changedAt = now()
  })

  const isRecent = ({ readAt }: ValidKey, forMs: number) =>
    readAt > changedAt && now() - readAt < forMs

  const readOwner = coalesceReads({ db, database }, async (names) => {
    const readAt = now()
    const hashes = new Set(names)
    for (const name of used) {
      const cached = valid.get(name)
      if (!cached) used.delete(name)
      else if (hashes.size < maxKeysPerStatement && !isRecent(cached, validForMs / 2))
        hashes.add(name)
    }
    for (const name of hashes) used.delete(name)
    const owners = await findApiKeyOwners(db.pool, [...hashes])
    const byHash = new Map(owners.map((owner) => [owner.hash, owner]))
    for (const [name, owner] of byHash) {
      const { notedAt = Number.NEGATIVE_INFINITY } = valid.get(name) ?? {}
      if (!owner.revoked) valid.set(name, { owner, readAt, notedAt })
    }
    return byHash
  })

  async function lookUp(name: string): Promise<ApiKeyLookup> {
    const cached = valid.get(name)
    const owner = cached && isRecent(cached, validForMs) ? cached.owner : await readOwner(name)
    if (owner && !owner.revoked) {
      used.add(name)
      storeUse(name)
      return { type: 'found', owner }
    }
    valid.delete(name)
    const lookup = { type: 'refused', why: owner ? 'revoked' : 'unknown' } as const
    rejected.set(name, { lookup, until: now() + rejectedForMs })
    return lookup
  }

  /** No request waits for this write. If it fails, a later use is stored instead. */
  function storeUse(name: string): void {
    const cached = valid.get(name)
    if (!cached || now() - cached.notedAt < useEverySeconds * 1_000) return
    cached.notedAt = now()
    storeApiKeyUse(db.pool, name).catch(database.report)
  }

  function refuseBeyond(address: string): void {
    const seconds = failures.wait(address)
    if (seconds > 0) throw rateLimited(seconds)
  }

  async function coalescedLookUp(name: string, address: string): Promise<ApiKeyLookup> {
    const cached = rejected.get(name)
    if (cached && cached.until > now()) return cached.lookup
    const pending = inFlight.get(name)
    if (pending) return pending
    // Only a few run at a time, so that the first rejected keys of a burst stop the rest.
    const lookup = limiter(address, async () => {
      refuseBeyond(address)
      return lookUp(name)
    }).finally(() => inFlight.delete(name))
    inFlight.set(name, lookup)
    return lookup
  }

  return async (key, address) => {
    const name = hashApiKey(key)
    if (valid.get(name)) return lookUp(name)
    refuseBeyond(address)
    const lookup: ApiKeyLookup = isWellFormedApiKey(key)
      ? await coalescedLookUp(name, address)
      : { type: 'refused', why: 'malformed' }
    if (lookup.type === 'refused') failures.take(address)
    return lookup
  }
}
