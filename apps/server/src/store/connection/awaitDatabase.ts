import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { classifyDbError } from '../../lib/classifyDbError.ts'
import { StartError } from '../../lib/startError.ts'

const everyMs = 500
const connectMs = 5_000

/**
 * Waits for a PostgreSQL that is unreachable, starting, recovering or read-only. Reports the wait once.
 * @param options.seconds the maximum wait
 * @returns whether PostgreSQL itself responds, or a pooler in front of it
 * @throws {StartError} if it does not become ready, or refuses the connection
 */
export async function awaitDatabase(
  url: string,
  options: { seconds: number; report(sentence: string): void },
): Promise<'direct' | 'pooled'> {
  const { seconds, report } = options
  const deadline = performance.now() + seconds * 1_000
  const where = `PostgreSQL at ${hostOf(url)}`
  for (let first = true; ; first = false) {
    const error = await probe(url)
    if (!(error instanceof Error)) return error
    if (error !== readOnly && classifyDbError(error) === null)
      throw new StartError(refusal(where, error))
    const why = `${error.message || (error as NodeJS.ErrnoException).code}`
    if (performance.now() >= deadline) {
      if (error === readOnly) {
        const sentence = `DATABASE_URL: ${where} takes no writes (${why}): promote it, end its default_transaction_read_only, or name the primary.`
        throw new StartError(sentence)
      }
      const late = seconds > 0 ? `did not respond within ${seconds} s` : 'does not respond'
      throw new StartError(
        `DATABASE_URL: ${where} ${late} (${why}): start it, or correct host and port.`,
      )
    }
    if (first) report(`Waiting up to ${seconds} s for ${where} (${why}).`)
    await sleep(Math.min(everyMs, Math.max(0, deadline - performance.now())))
  }
}

/** A server that did not wait would exit at its first write, and restart until a write succeeds. */
const readOnly = new Error('it is read-only, as a standby is')

/** A pooler assigns process ids of its own to its clients, since no process of PostgreSQL belongs to them. */
async function probe(connectionString: string): Promise<'direct' | 'pooled' | Error> {
  try {
    const client = new pg.Client({ connectionString, connectionTimeoutMillis: connectMs })
    client.on('error', () => {})
    await client.connect()
    const { rows } = await client.query<{ pid: number; isReadOnly: boolean }>(
      `select pg_backend_pid() as pid, current_setting('transaction_read_only') = 'on' as "isReadOnly"`,
    )
    await client.end()
    if (rows[0]?.isReadOnly) return readOnly
    const { processID } = client as pg.Client & { readonly processID: number | null }
    return rows[0]?.pid === processID ? 'direct' : 'pooled'
  } catch (error) {
    return error as Error
  }
}

function refusal(where: string, error: Error): string {
  const { code = '' } = error as { code?: string }
  const reason = `${code} ${error.message}`
  const todo = advice.find(([pattern]) => pattern.test(reason))?.[1] ?? 'correct it'
  return `DATABASE_URL: ${where} refuses the connection (${error.message}): ${todo}.`
}

/** The patterns match an SQLSTATE, the code of a TLS error, or a message of pg. */
const advice = [
  [/no encryption$|SSL (connection )?required/i, 'append ?sslmode=verify-full'],
  [/^28/, 'correct user and password'],
  [/SASL|client password must be/, 'give a password: postgres://user:password@…'],
  [/^3D000/, 'create the database, or correct its name'],
  [/^ENOENT/, 'correct the path'],
  [/does not support SSL/, 'remove sslmode, or turn SSL on there'],
  [/CERT|certificate|ALTNAME/i, 'append &sslrootcert=<file of its certificate authority>'],
] as const

/** The host and port of a URL, without user and password. */
function hostOf(url: string): string {
  const { hostname, port, searchParams } = new URL(url)
  return `${hostname || (searchParams.get('host') ?? 'localhost')}:${port || 5432}`
}
