import { timingSafeEqual } from 'node:crypto'
import { rateLimited } from '@payment-intents/rules'
import { boundedMap } from '../boundedMap.ts'
import type { Db } from '../db/connect.ts'
import {
  type ApiKeyOwner,
  findApiKeyOwner,
  noteApiKeyUse,
  useEverySeconds,
} from '../db/merchants/apiKeys.ts'
import type { DatabaseWatch } from '../db/watchDatabase.ts'
import { hashApiKey, isWellFormedApiKey } from '../secrets/apiKey.ts'
import { createGate } from './gate.ts'
import { createRateLimit, type Limit } from './rateLimit.ts'

type Found =
  | { readonly type: 'found'; readonly owner: ApiKeyOwner }
  | { readonly type: 'refused'; readonly why: 'malformed' | 'unknown' | 'revoked' }

/** Looks up an API key that an address sends. @throws {HttpError} `rate_limited` when too many of its keys were wrong */
export type Keyring = (key: string, address: string) => Promise<Found>

/** Keys are random: one that was wrong stays so, and this only bounds how long it is remembered. */
const refusedForMs = 60_000
const remembered = 10_000

/**
 * Asks the database for each key, but never twice in a minute for one that is wrong. An address whose keys are wrong
 * too often waits; a key that was right before is not counted among them, so that its merchant goes on.
 */
export function createKeyring({
  db,
  database,
  keyLimit,
}: {
  readonly db: Db
  readonly database: DatabaseWatch
  /** Of wrong keys from one address. */
  readonly keyLimit: Limit
}): Keyring {
  const now = () => performance.now()
  const failures = createRateLimit({ ...keyLimit, now })
  const gate = createGate({ most: 4, waiting: 100, waitMs: 2_000, database })
  const right = boundedMap<true>(remembered)
  const noted = boundedMap<number>(remembered)
  const asking = new Map<string, Promise<Found>>()
  const wrong = boundedMap<{ found: Found & { type: 'refused' }; until: number }>(remembered)

  async function ask(name: string, hash: Buffer): Promise<Found> {
    const owner = await findApiKeyOwner(db.pool, hash)
    const isUnknown = !owner || !timingSafeEqual(owner.hash, hash)
    if (!isUnknown && !owner.revoked) {
      right.set(name, true)
      noteUse(name, hash)
      return { type: 'found', owner }
    }
    right.delete(name)
    const found = { type: 'refused', why: isUnknown ? 'unknown' : 'revoked' } as const
    wrong.set(name, { found, until: now() + refusedForMs })
    return found
  }

  /** No request waits for it, and a use that is not noted is noted by a later one. */
  function noteUse(name: string, hash: Buffer): void {
    if (now() - (noted.get(name) ?? Number.NEGATIVE_INFINITY) < useEverySeconds * 1_000) return
    noted.set(name, now())
    noteApiKeyUse(db.pool, hash).catch(database.report)
  }

  function refuseBeyond(address: string): void {
    const seconds = failures.wait(address)
    if (seconds > 0) throw rateLimited(seconds)
  }

  async function askAnew(name: string, hash: Buffer, address: string): Promise<Found> {
    const known = wrong.get(name)
    if (known && known.until > now()) return known.found
    const shared = asking.get(name)
    if (shared) return shared
    // A few at a time, so that a thousand at once are not all asked for before the first is found wrong.
    const found = gate(address, async () => {
      refuseBeyond(address)
      return ask(name, hash)
    }).finally(() => asking.delete(name))
    asking.set(name, found)
    return found
  }

  return async (key, address) => {
    const hash = hashApiKey(key)
    const name = hash.toString('base64')
    if (right.get(name)) return ask(name, hash)
    refuseBeyond(address)
    const found: Found = isWellFormedApiKey(key)
      ? await askAnew(name, hash, address)
      : { type: 'refused', why: 'malformed' }
    if (found.type === 'refused') failures.take(address)
    return found
  }
}
