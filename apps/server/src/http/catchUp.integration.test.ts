import { createClient } from '@payment-intents/node'
import { expect, test } from 'vitest'
import { anotherServer } from '../../test/fixtures.ts'
import { createTestMerchant } from '../../test/testServer.ts'

const writers = 8
/** Of each writer; every other one is canceled, which is an event more. */
const intentsEach = 30
const eventsInAll = writers * intentsEach * 1.5

/** How many events a consumer gets through before it ends, and the length of its pages. */
const lives = [1, 2, 3, 5, 8, 13, 21, 34].flatMap((events) =>
  [1, 3, 10, 100].map((limit) => ({ events, limit })),
)

/** Commits take up to 50 ms, some longer than others: what was written first is often there last. */
const slowCommits = `
  create function commit_slowly() returns trigger language plpgsql as
    $$ begin perform pg_sleep((hashtext(new.id) & 15) / 300.0); return null; end $$;
  create constraint trigger slow_commits after insert on events
    deferrable initially deferred for each row execute function commit_slowly()`

test('a consumer that stops again and again gets every event once while eight write', async () => {
  const first = await anotherServer()
  const second = await anotherServer({ db: first.db })
  await first.db.pool.query(slowCommits)
  const { apiKey } = await createTestMerchant(first.db)
  const clientOf = (index: number) =>
    createClient({ apiKey, baseUrl: (index % 2 === 0 ? first : second).url })

  let writing = true
  const write = async (writer: number) => {
    const client = clientOf(writer)
    for (let index = 0; index < intentsEach; index += 1) {
      // Amounts of their own, so that none is taken.
      const amount_units = 1_000_000 * (1 + writer * intentsEach + index)
      const { id } = await client.createPaymentIntent({ amount_units })
      if (index % 2 === 0) await client.cancelPaymentIntent(id)
    }
  }

  const seen: { id: string; subject: string; sequence: number }[] = []
  /** One life of a consumer, from where the one before it ended; `idle` when there was nothing for it. */
  const consume = async (life: number): Promise<'idle' | 'stopped'> => {
    const { events, limit } = lives[life % lives.length] ?? { events: 1, limit: 1 }
    const cursor = seen.at(-1)?.id
    const from = cursor === undefined ? {} : { starting_after: cursor }
    let left = events
    for await (const event of clientOf(life).events.list({ ...from, limit })) {
      const subject = String(event.data.object.id)
      seen.push({ id: event.id, subject, sequence: event.sequence })
      left -= 1
      if (left === 0) return 'stopped'
    }
    return left === events ? 'idle' : 'stopped'
  }
  const consumeAll = async () => {
    for (let life = 0; ; life += 1) {
      const isLast = !writing
      if ((await consume(life)) === 'idle' && isLast) return
      if (seen.length > eventsInAll) throw new Error('Events are given again.')
    }
  }

  const consuming = consumeAll()
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer))).finally(() => {
    writing = false
  })
  await consuming
  const { rows } = await first.db.pool.query<{ id: string }>('select id from events')

  expect(rows).toHaveLength(eventsInAll)
  expect(seen.map(({ id }) => id).sort()).toEqual(rows.map(({ id }) => id).sort())
  const last = new Map<string, number>()
  for (const { subject, sequence } of seen) {
    expect(sequence).toBe((last.get(subject) ?? 0) + 1)
    last.set(subject, sequence)
  }
})
