import { spawn } from 'node:child_process'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import { freePort } from '../../../../../packages/testing/src/devChain/freePort.ts'
import { newFolder } from '../../../../../tests/support/newFolder.ts'
import { until } from '../../../../../tests/support/until.ts'

/**
 * Starts a PgBouncer in transaction mode in front of a database, which runs until the test ends. It has Debian's other
 * settings, and fewer connections than a server.
 * @returns the URL of the database through PgBouncer
 */
export async function startPgBouncer(databaseUrl: string): Promise<string> {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl)
  const folder = newFolder()
  const poolerPort = await freePort()
  await writeFile(join(folder, 'users.txt'), `"${username}" "${decodeURIComponent(password)}"\n`)
  await writeFile(
    join(folder, 'pgbouncer.ini'),
    `[databases]
* = host=${hostname} port=${port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${poolerPort}
unix_socket_dir =
auth_type = md5
auth_file = ${folder}/users.txt
pool_mode = transaction
max_client_conn = 100
default_pool_size = 5
`,
  )
  // PgBouncer refuses to run as root.
  await chmod(folder, 0o755)
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const bouncer = spawn('pgbouncer', ['-q', ...user, join(folder, 'pgbouncer.ini')], {
    stdio: 'ignore',
  })
  const ended = new Promise<void>((resolve) => bouncer.once('exit', () => resolve()))
  onTestFinished(async () => {
    bouncer.kill('SIGTERM')
    await ended
  })
  const url = `postgres://${username}:${password}@127.0.0.1:${poolerPort}${pathname}`
  await until(async () => {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => {})
    await client.connect()
    await client.end()
  })
  return url
}
