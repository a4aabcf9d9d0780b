import pg from 'pg'

/**
 * Trouble of the database that passes without a change of the request: `away` when no connection answers, `busy`
 * when one does, but not in time.
 */
export type Trouble = 'away' | 'busy'

/** Which of them an error is; null for any other error. */
export function troubleOf(error: unknown): Trouble | null {
  if (!(error instanceof Error)) return null
  if (error instanceof pg.DatabaseError) {
    const code = error.code ?? ''
    if (awayStates.test(code)) return 'away'
    return busyStates.test(code) ? 'busy' : null
  }
  const { code = '' } = error as NodeJS.ErrnoException
  if (networkCodes.has(code) || awayMessages.test(error.message)) return 'away'
  return error.message === poolTimeout ? 'busy' : null
}

/** SQLSTATEs: connection exceptions; shut down, crashed, starting; too many connections; a standby, after a failover. */
const awayStates = /^(08...|57P0[1235]|53300|25006)$/
/** SQLSTATEs: lock not available; canceled by a timeout; deadlock, serialisation; no resources. */
const busyStates = /^(55P03|57014|40P01|40001|53...|25P03)$/

const networkCodes = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'],
  ...['EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'],
])

/** pg has no codes for its own errors. */
const awayMessages =
  /^(Connection terminated|timeout expired|Query read timeout|Client (has encountered|was closed)|Cannot use a pool after)/
/** All connections of the pool are in use. */
const poolTimeout = 'timeout exceeded when trying to connect'
