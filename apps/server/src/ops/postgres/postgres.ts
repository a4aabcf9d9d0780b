import { join } from 'node:path'
import { EmbeddedError, orExternalDatabase } from './embeddedError.ts'
import type { Account } from './osAccount.ts'
import { output, type Ran, runProgram } from './runProgram.ts'

export type Postgres = {
  /** All paths are absolute. */
  readonly dataDir: string
  /** The data directory of PostgreSQL. */
  readonly cluster: string
  /** The folder of PostgreSQL's programs. */
  readonly bin: string
  /** The account under which PostgreSQL runs; null: this process's user. */
  readonly account: Account | null
}

/**
 * Creates a function that calls `pg_ctl` in the cluster's folder, so that relative paths, such as the log's, need no
 * access to the folders above.
 */
export async function openPgCtl({ cluster, bin, account }: Postgres): Promise<PgCtl> {
  const path = await pathForAccount(cluster, account)
  return (...args) =>
    runProgram(join(bin, 'pg_ctl'), ['--pgdata', path, ...args], { account, cwd: cluster })
}

export type PgCtl = (...args: readonly string[]) => Promise<Ran>

/**
 * Returns an absolute path by which the account reaches a folder from a process that runs in it.
 *
 * If a folder above is closed to the account, such as /root, the path is the kernel's link to the current folder, which
 * needs no access to the folders above. PostgreSQL's processes never leave their data directory, so the link stays
 * right.
 *
 * @throws EmbeddedError when there is no such path
 */
export async function pathForAccount(folder: string, account: Account | null): Promise<string> {
  if (!account) return folder
  const open = await output(account, 'cd "$1"', { args: [folder] })
  if (open.outcome === 'done') return folder
  const { outcome, printed } = await output(account, `cd ${currentFolder}`, { cwd: folder })
  if (outcome === 'done') return currentFolder
  throw new EmbeddedError(
    `User ${account.name} cannot reach ${folder}, as a folder above it is closed and there is no ${currentFolder}: choose a DATA_DIR that every user can pass to, run as another user, ${orExternalDatabase} (${printed.trim()})`,
  )
}

const currentFolder = '/proc/self/cwd'
