import pg from 'pg'

/**
 * A transient error of the database. `away`: no connection responds; `busy`: the response is late; a `WriteFault`: the
 * database responds but cannot write.
 */
export type DbErrorClass = 'away' | 'busy' | WriteFault

export type WriteFault = 'read_only' | 'disk_full'

/** The class of an error; null: it is not transient. */
export function classifyDbError(error: unknown): DbErrorClass | null {
  if (!(error instanceof Error)) return null
  if (error instanceof pg.DatabaseError) {
    const code = error.code ?? ''
    if (awayStates.test(code)) return 'away'
    const writeFault = writeFaults[code]
    if (writeFault) return writeFault
    return busyStates.test(code) ? 'busy' : null
  }
  const { code = '' } = error as NodeJS.ErrnoException
  if (networkCodes.has(code) || awayMessages.test(error.message)) return 'away'
  return error.message === poolTimeout ? 'busy' : null
}

/** The reason why the database refused a write; null: any other error. */
export function writeFaultOf(error: unknown): WriteFault | null {
  const kind = classifyDbError(error)
  return kind === 'read_only' || kind === 'disk_full' ? kind : null
}

/** SQLSTATEs: connection exceptions; shut down, crashed, starting; too many connections. */
const awayStates = /^(08...|57P0[1235]|53300)$/
/** SQLSTATEs: a read-only transaction, such as on a standby after a failover; no space; a disk that fails. */
const writeFaults: { readonly [state: string]: WriteFault } = {
  '25006': 'read_only',
  '53100': 'disk_full',
  '58030': 'disk_full',
}
/** SQLSTATEs: lock not available; canceled by a timeout; deadlock, serialisation; no resources. */
const busyStates = /^(55P03|57014|40P01|40001|53...|25P03)$/

const networkCodes = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'],
  ...['EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'],
])

/** Messages of pg, which has no codes for its own errors. */
const awayMessages =
  /^(Connection terminated|timeout expired|Query read timeout|Client (has encountered|was closed)|Cannot use a pool after)/
/** The message of pg when all connections of the pool are in use. */
const poolTimeout = 'timeout exceeded when trying to connect'
