import pg from 'pg'
import { onTestFinished, vi } from 'vitest'

/** Statements that a piece of work runs, those of its transaction included, without what is asked now and then beside it. */
export async function statementsOf(work: () => Promise<unknown>): Promise<number> {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  onTestFinished(() => query.mockRestore())
  await work()
  // The connection that listens is asked each second, and replaced if it does not answer. Writes are checked every 5 s.
  const beside = /^(select 1$|listen |select pg_notify|set local work_mem)/
  const count = query.mock.calls.filter(([text]) => !beside.test(String(text))).length
  query.mockRestore()
  return count
}
