import { access, constants, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Binaries, findBinaries } from './binaries.ts'
import { EmbeddedError, explain, failed, orExternalDatabase } from './embeddedError.ts'
import { ensureRunning } from './ensureRunning.ts'
import { hasCluster } from './hasCluster.ts'
import { initialise, passwordPath } from './initialise.ts'
import { type Account, chownCluster, findAccount } from './osAccount.ts'
import { defaultPlaces, placeBinaries } from './placeBinaries.ts'
import { openPgCtl, type Postgres } from './postgres.ts'

export type EmbeddedCluster = {
  /** A connection URL. It holds the password, so it is never logged. */
  readonly url: string
  /** Whether this call started the cluster; false: it was running. */
  readonly started: boolean
  /** Starts the cluster again at the same URL if it has ended. @returns whether it had ended */
  restart(): Promise<boolean>
  /** Shuts the cluster down after its clients' current transactions. */
  stop(): Promise<void>
}

export type EmbeddedOptions = {
  /** Folders for a copy of PostgreSQL's programs, if the account cannot run them in place. */
  readonly places?: readonly string[]
  /** Receives a sentence about a change outside the cluster; prints it by default. */
  report?(sentence: string): void
}

/**
 * Runs a real PostgreSQL from binaries of npm, on loopback, with its files in `<dataDir>/postgres`. Takes over a
 * PostgreSQL that a killed server left running.
 *
 * @throws EmbeddedError when it cannot run here
 */
export async function startEmbedded(
  dataDir: string,
  options: EmbeddedOptions = {},
): Promise<EmbeddedCluster> {
  const path = resolve(dataDir)
  try {
    return await start(path, { places: defaultPlaces, report: console.error, ...options })
  } catch (error) {
    throw explain(error, path)
  }
}

async function start(
  dataDir: string,
  options: Required<EmbeddedOptions>,
): Promise<EmbeddedCluster> {
  const binaries = await findBinaries()
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  await access(dataDir, constants.W_OK)

  const cluster = join(dataDir, 'postgres')
  const exists = await hasCluster(cluster)
  const account = process.getuid?.() === 0 ? await accountFor(exists ? cluster : null) : null
  const folder = account ? await programsFor(account, binaries, dataDir, options) : binaries.folder
  const postgres: Postgres = { dataDir, cluster, bin: join(folder, 'bin'), account }
  if (!exists) await initialise(postgres)
  const password = await readPassword(dataDir)
  const pgCtl = await openPgCtl(postgres)
  const { port, started } = await ensureRunning(postgres, pgCtl)
  const url = `postgres://payment_intents:${password}@127.0.0.1:${port}/postgres`
  return {
    url,
    started,
    async restart() {
      try {
        return (await ensureRunning(postgres, pgCtl, port)).started
      } catch (error) {
        throw explain(error, dataDir)
      }
    },
    async stop() {
      const { outcome, printed } = await pgCtl('--mode', 'fast', '--timeout', '60', 'stop')
      if (outcome === 'done') return
      // pg_ctl also fails if the cluster has already ended.
      const { outcome: running } = await pgCtl('status')
      if (running === 'done') throw await failed('did not stop', dataDir, printed)
    },
  }
}

async function accountFor(cluster: string | null): Promise<Account> {
  const owner = cluster === null ? null : await stat(cluster)
  const account = await findAccount(owner)
  if (cluster !== null && owner?.uid === 0) await chownCluster(cluster, account)
  return account
}

/** @returns a folder of programs that the account can run */
async function programsFor(
  account: Account,
  binaries: Binaries,
  dataDir: string,
  { places, report }: Required<EmbeddedOptions>,
): Promise<string> {
  const { folder, copy } = await placeBinaries(binaries, account, places)
  if (copy !== 'none')
    await writeFile(join(dataDir, 'postgres.programs'), `${folder}\n`, { mode: 0o600 })
  if (copy === 'made') {
    report(
      `User ${account.name} cannot run the PostgreSQL programs in ${binaries.folder}; a copy is in ${folder}.`,
    )
  }
  return folder
}

async function readPassword(dataDir: string): Promise<string> {
  const path = passwordPath(dataDir)
  return (
    await readFile(path, 'utf8').catch((cause) => {
      throw new EmbeddedError(
        `The password of the embedded PostgreSQL cannot be read from ${path}: put the file back from a copy of DATA_DIR, ${orExternalDatabase}`,
        { cause },
      )
    })
  ).trim()
}
