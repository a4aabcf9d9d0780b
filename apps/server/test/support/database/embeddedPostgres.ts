import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The process id and URL of the PostgreSQL that a server runs in its data directory. */
export async function embeddedPostgres(dataDir: string): Promise<{ pid: number; url: string }> {
  const [pid, , , port] = (await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split(
    '\n',
  )
  const password = (await readFile(join(dataDir, 'postgres.password'), 'utf8')).trim()
  const url = `postgres://payment_intents:${password}@127.0.0.1:${port}/postgres`
  return { pid: Number(pid), url }
}
