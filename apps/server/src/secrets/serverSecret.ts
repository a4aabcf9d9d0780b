import { createHash, createHmac, randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Queryable } from '../db/connect.ts'
import { StartError } from '../startError.ts'

/**
 * The secret from which client secrets are derived: the configured one, else one kept in the data directory.
 * Changing it ends every open checkout, so it is made once.
 */
export async function loadServerSecret(given: string | null, dataDir: string): Promise<Buffer> {
  return createHash('sha256')
    .update(given ?? (await kept(dataDir)))
    .digest()
}

/**
 * Compares the secret with the one that this database was made with; the first server of a database leaves the
 * fingerprint of its own.
 *
 * @throws {StartError} when it is another one
 */
export async function checkServerSecret(db: Queryable, serverSecret: Buffer): Promise<void> {
  const fingerprint = createHmac('sha256', serverSecret).update('fingerprint').digest('hex')
  const { rows } = await db.query<{ fingerprint: string }>(
    `insert into server_secret as first (fingerprint) values ($1)
     -- Left by another server at the same moment: its row, once it is committed.
     on conflict (only_row) do update set fingerprint = first.fingerprint
     returning fingerprint`,
    [fingerprint],
  )
  if (rows[0]?.fingerprint === fingerprint) return
  throw new StartError(
    'SERVER_SECRET is not the one that this database was made with, so no open checkout and no webhook signature would be valid: set the one that the other servers have, or had (without SERVER_SECRET it is in the file server.secret of DATA_DIR).',
  )
}

async function kept(dataDir: string): Promise<string> {
  const path = join(dataDir, 'server.secret')
  await mkdir(dataDir, { recursive: true })
  const secret = randomBytes(32).toString('hex')
  try {
    // `wx`: of two servers that start at once, the second reads what the first wrote.
    await writeFile(path, secret, { mode: 0o600, flag: 'wx' })
    return secret
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return readFile(path, 'utf8')
  }
}
