import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * The secret from which client secrets are derived: the configured one, else one kept in the data directory.
 * Changing it ends every open checkout, so it is made once.
 */
export async function loadServerSecret(given: string | null, dataDir: string): Promise<Buffer> {
  return createHash('sha256')
    .update(given ?? (await kept(dataDir)))
    .digest()
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
