import pg from 'pg'
import { onTestFinished, vi } from 'vitest'

type Statement = string | { readonly name?: string; readonly text: string }

/** Statements of timers: the server probes its listening connection, checks writes, reads the clocks and announces earlier events. */
const concurrent =
  /^(select 1$|listen |select pg_notify|set local work_mem|read-clocks$|announce-events$)/

/** The names, or else the texts, of the statements of some work, without those that the server repeats on a timer. */
export async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  onTestFinished(() => query.mockRestore())
  await work()
  const sent = query.mock.calls.map(([statement]) => nameOf(statement))
  query.mockRestore()
  return sent.filter((name) => !concurrent.test(name))
}

function nameOf(statement: Statement): string {
  return typeof statement === 'string' ? statement : (statement.name ?? statement.text)
}
