import pg from 'pg'
import { onTestFinished, vi } from 'vitest'

/** Counts the statements of some work, without those that the server repeats on a timer. */
export async function statementsOf(work: () => Promise<unknown>): Promise<number> {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  onTestFinished(() => query.mockRestore())
  await work()
  // The server probes its listening connection each second, checks writes every 5 s, and announces earlier events.
  const concurrent = /^(select 1$|listen |select pg_notify|set local work_mem)/
  const isConcurrent = (requested: { name?: string } | string) =>
    typeof requested === 'string'
      ? concurrent.test(requested)
      : requested.name === 'announce-events'
  const count = query.mock.calls.filter(([requested]) => !isConcurrent(requested)).length
  query.mockRestore()
  return count
}
