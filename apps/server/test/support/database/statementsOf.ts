import pg from 'pg'
import { onTestFinished, vi } from 'vitest'

/** Counts the statements of a piece of work and its transactions, without those that the server repeats on a timer. */
export async function statementsOf(work: () => Promise<unknown>): Promise<number> {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  onTestFinished(() => query.mockRestore())
  await work()
  // The server probes its listening connection each second, and checks every 5 s that it can write.
  const concurrent = /^(select 1$|listen |select pg_notify|set local work_mem)/
  const count = query.mock.calls.filter(([text]) => !concurrent.test(String(text))).length
  query.mockRestore()
  return count
}
