import fc from 'fast-check'
import type pg from 'pg'
import { beforeEach, describe, expect, test } from 'vitest'
import { runs } from '../../../../../tests/support/tier.ts'
import { dbOfFile } from '../../../test/support/database/fixtures.ts'
import { type Queryable, transaction } from '../connection/connect.ts'
import { forget } from './forget.ts'
import { isWatched, readWatch, type Watch, watchTopic } from './watchedTopics.ts'

const base = 84532
const polygon = 80002
const now = Date.UTC(2026, 0, 1)
const until = now / 1_000 + 86_400

const db = dbOfFile()
beforeEach(async () => {
  await db.pool.query('truncate watched_topics')
})

function wallet(digit: string): `0x${string}` {
  return `0x${digit.repeat(40)}`
}

function add(digit: string, chainId = base, client: Queryable = db.pool): Promise<void> {
  return watchTopic(client, { chainId, topic: wallet(digit), since: now, until })
}

async function read(current: Watch | null, chainId = base): Promise<Watch> {
  const watch = await readWatch(db.pool, chainId, current)
  if (!watch) throw new Error('nobody waits')
  return watch
}

const digits = ({ topics }: Watch) =>
  [...topics]
    .map((address) => address[2])
    .sort()
    .join('')

describe('a list of wallets', () => {
  test('adds new topics, on either chain', async () => {
    await add('1')
    const firstRead = await read(null)
    expect(digits(firstRead)).toBe('1')
    await add('2')
    await add('3', polygon)
    const secondRead = await read(firstRead)
    expect(digits(secondRead)).toBe('123')
    expect(secondRead.since).toBe(now / 1_000)
    expect((await read(secondRead)).topics).toBe(secondRead.topics)
  })

  test('is not queried again for topics that both chains have', async () => {
    await add('1', polygon)
    await add('1')
    const [baseRead, polygonRead] = [await read(null), await read(null, polygon)]
    await add('2')
    const seconds = [await read(baseRead), await read(polygonRead, polygon)]
    expect(seconds.map(digits)).toEqual(['12', '12'])
    const requested = await db.pool.query(
      'select topic from watched_topics where version is null or version > $1',
      [(await read(baseRead)).version],
    )
    expect(requested.rows).toEqual([])
  })

  test('misses no topic, in any order in which creations begin and end and chains read', async () => {
    const creations = ['1', '2', '3', '4'] as const
    const step = fc.oneof(
      fc.record({ of: fc.constantFrom(...creations), end: fc.constantFrom('commit', 'rollback') }),
      fc.constantFrom(base, polygon),
    )
    const clients = await Promise.all(creations.map(() => db.pool.connect()))
    const history = fc.asyncProperty(fc.array(step, { minLength: 10 }), async (steps) => {
      const open = new Map<string, pg.PoolClient>()
      const committed = new Set<string>()
      const current = new Map<number, Watch>()
      await db.pool.query('truncate watched_topics')
      await add('0')
      await add('0', polygon)
      const take = async (next: (typeof steps)[number]) => {
        if (typeof next === 'number') {
          const watch = await read(current.get(next) ?? null, next)
          current.set(next, watch)
          expect(digits(watch).split('')).toEqual(expect.arrayContaining([...committed]))
          return
        }
        const { of, end } = next
        const client = open.get(of)
        if (client) {
          open.delete(of)
          await client.query(end)
          if (end === 'commit') committed.add(of)
        } else if (!committed.has(of)) {
          const begun = clients[creations.indexOf(of)] as pg.PoolClient
          open.set(of, begun)
          await begun.query('begin')
          await add(of, base, begun)
        }
      }
      try {
        for (const next of steps) await take(next)
      } finally {
        for (const client of open.values()) await client.query('rollback')
      }
    })
    try {
      await fc.assert(history, { numRuns: runs(20) })
    } finally {
      for (const client of clients) client.release()
    }
  })

  test('misses no topic that was added after another was deleted', async () => {
    await add('1', polygon)
    await add('1')
    const polygonRead = await read(await read(null, polygon), polygon)
    await add('2')
    const firstRead = await read(await read(null))
    await db.pool.query('delete from watched_topics where topic = $1', [wallet('2')])
    await add('3')
    expect(digits(await read(polygonRead, polygon))).toBe('13')
    expect(digits(await read(firstRead))).toBe('123')
  })

  test('misses no topic whose transaction began before a poll and ended after it', async () => {
    await add('1')
    const firstRead = await read(null)
    let between: Watch | null = null
    await transaction(db, async (client) => {
      await add('2', base, client)
      // A later transaction commits before the earlier transaction.
      await add('3')
      between = await read(firstRead)
      expect(digits(between)).toBe('13')
    })
    expect(digits(await read(between))).toBe('123')
  })

  test('has no topic of a transaction that was rolled back', async () => {
    await add('1')
    const firstRead = await read(null)
    await transaction(db, async (client) => {
      await add('2', base, client)
      throw new Error('rolled back')
    }).catch(() => {})
    expect(digits(await read(firstRead))).toBe('1')
  })

  test('has a wallet again that was deleted and added again', async () => {
    await add('1')
    await add('2')
    const firstRead = await read(null)
    await forget(db.pool, { chainId: base, timestamp: until + 7_200 })
    expect(await isWatched(db.pool, base)).toBe(false)
    expect(await readWatch(db.pool, base, firstRead)).toBeNull()
    await add('2')
    expect(digits(await read(null))).toBe('2')
    expect(digits(await read(firstRead))).toContain('2')
  })

  test('is read as a whole after a thousand polls, without deleted topics', async () => {
    await add('1')
    await add('2')
    let watch = await read(null)
    await db.pool.query('delete from watched_topics where topic = $1', [wallet('2')])
    expect(digits(await read(watch))).toBe('12')
    for (let count = 0; count <= 1_000; count += 1) watch = await read(watch)
    expect(digits(watch)).toBe('1')
  })
})
