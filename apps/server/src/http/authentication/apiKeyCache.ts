import { rateLimited } from '@payment-intents/core'
import { boundedMap } from '../../lib/boundedMap.ts'
import { createConcurrencyLimiter } from '../../lib/concurrencyLimiter.ts'
import { hashApiKey, isWellFormedApiKey } from '../../lib/crypto/apiKey.ts'
import type { Db } from '../../store/connection/connect.ts'
import { shareReads } from '../../store/connection/shareReads.ts'
import type { DatabaseWatch } from '../../store/connection/watchDatabase.ts'
import {
  type ApiKeyOwner,
  findApiKeyOwners,
  noteApiKeyUse,
  useEverySeconds,
} from '../../store/merchants/apiKeys.ts'
import type { Notifications } from '../../store/notifications.ts'
import { createRateLimit, type Limit } from '../limits/rateLimit.ts'

type Found =
  | { readonly type: 'found'; readonly owner: ApiKeyOwner }
  | { readonly type: 'refused'; readonly why: 'malformed' | 'unknown' | 'revoked' }

/** Looks up an API key that an address sends. @throws {HttpError} `rate_limited` when too many of its keys were wrong */
export type ApiKeyCache = (key: string, address: string) => Promise<Found>

/** A key that was right when it was read. Times are in milliseconds. */
type Right = {
  readonly owner: ApiKeyOwner
  /** As the statement began: it may not have seen what was changed since. */
  readonly readAt: number
  notedAt: number
}

/** How long a change can go unseen when its notification is lost. */
const freshForMs = 1_000
/** Keys are random: one that was wrong stays so, and this only bounds how long it is remembered. */
const refusedForMs = 60_000
const remembered = 10_000
/** Keys of one statement. */
const readAhead = 1_000

/**
 * Keeps keys and their merchants in memory for a second at most, and not beyond a notification that one has changed. The
 * statement that reads one again reads all that will be needed soon: those used since they were read, half a second ago.
 *
 * A key that is wrong is not read twice in a minute. An address whose keys are wrong too often waits; a key that was right
 * before is not counted among them, so that its merchant goes on.
 */
export function createApiKeyCache({
  db,
  database,
  changes,
  keyLimit,
}: {
  readonly db: Db
  readonly database: DatabaseWatch
  readonly changes: Pick<Notifications, 'onKeysChanged'>
  /** Of wrong keys from one address. */
  readonly keyLimit: Limit
}): ApiKeyCache {
  const now = () => performance.now()
  const failures = createRateLimit({ ...keyLimit, now })
  const limiter = createConcurrencyLimiter({ most: 4, waiting: 100, waitMs: 2_000, database })
  const right = boundedMap<Right>(remembered)
  const used = new Set<string>()
  const asking = new Map<string, Promise<Found>>()
  const wrong = boundedMap<{ found: Found & { type: 'refused' }; until: number }>(remembered)
  let changedAt = Number.NEGATIVE_INFINITY
  changes.onKeysChanged(() => {
    changedAt = now()
  })

  const isFresh = ({ readAt }: Right, forMs: number) => readAt > changedAt && now() - readAt < forMs

  const read = shareReads({ db, database }, async (names) => {
    const readAt = now()
    const wanted = new Set(names)
    for (const name of used) {
      const known = right.get(name)
      if (!known) used.delete(name)
      else if (wanted.size < readAhead && !isFresh(known, freshForMs / 2)) wanted.add(name)
    }
    for (const name of wanted) used.delete(name)
    const owners = await findApiKeyOwners(db.pool, [...wanted])
    const found = new Map(owners.map((owner) => [owner.hash, owner]))
    for (const [name, owner] of found) {
      const { notedAt = Number.NEGATIVE_INFINITY } = right.get(name) ?? {}
      if (!owner.revoked) right.set(name, { owner, readAt, notedAt })
    }
    return found
  })

  async function ask(name: string): Promise<Found> {
    const known = right.get(name)
    const owner = known && isFresh(known, freshForMs) ? known.owner : await read(name)
    if (owner && !owner.revoked) {
      used.add(name)
      noteUse(name)
      return { type: 'found', owner }
    }
    right.delete(name)
    const found = { type: 'refused', why: owner ? 'revoked' : 'unknown' } as const
    wrong.set(name, { found, until: now() + refusedForMs })
    return found
  }

  /** No request waits for it, and a use that is not noted is noted by a later one. */
  function noteUse(name: string): void {
    const known = right.get(name)
    if (!known || now() - known.notedAt < useEverySeconds * 1_000) return
    known.notedAt = now()
    noteApiKeyUse(db.pool, name).catch(database.report)
  }

  function refuseBeyond(address: string): void {
    const seconds = failures.wait(address)
    if (seconds > 0) throw rateLimited(seconds)
  }

  async function askAnew(name: string, address: string): Promise<Found> {
    const known = wrong.get(name)
    if (known && known.until > now()) return known.found
    const shared = asking.get(name)
    if (shared) return shared
    // A few at a time, so that a thousand at once are not all asked for before the first is found wrong.
    const found = limiter(address, async () => {
      refuseBeyond(address)
      return ask(name)
    }).finally(() => asking.delete(name))
    asking.set(name, found)
    return found
  }

  return async (key, address) => {
    const name = hashApiKey(key)
    if (right.get(name)) return ask(name)
    refuseBeyond(address)
    const found: Found = isWellFormedApiKey(key)
      ? await askAnew(name, address)
      : { type: 'refused', why: 'malformed' }
    if (found.type === 'refused') failures.take(address)
    return found
  }
}
