import { randomBytes } from 'node:crypto'
import { chmod, chown, copyFile, link, mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { failed } from './failure.ts'
import { type Postgres, pathForAccount } from './postgres.ts'
import { run } from './run.ts'
import { discard, temporaryFolder } from './temporaryFolder.ts'

/**
 * Makes a new cluster. It appears under its name when it is complete: a start that is killed in the middle, or finds
 * the disk full, leaves nothing that the next one would take for a cluster.
 */
export async function initialise({ dataDir, cluster, bin, account }: Postgres): Promise<void> {
  const unfinished = await temporaryFolder(dataDir, 'postgres')
  try {
    const data = join(unfinished, 'data')
    const password = join(unfinished, 'password')
    await mkdir(data)
    await chmod(data, 0o700)
    await copyFile(await storedPassword(dataDir, unfinished), password)
    await chmod(password, 0o600)
    if (account) {
      // The outer folder comes last: until then the account cannot put a link in the place of another.
      for (const path of [password, data, unfinished]) await chown(path, account.uid, account.gid)
    }
    const { outcome, printed } = await run(
      join(bin, 'initdb'),
      [
        ...['--pgdata', await pathForAccount(data, account)],
        ...['--username', 'payment_intents', '--pwfile', '../password'],
        ...['--auth', 'scram-sha-256', '--encoding', 'UTF8', '--locale', 'C', '--no-instructions'],
      ],
      { account, cwd: data },
    )
    if (outcome === 'failed') throw await failed('could not be initialised', dataDir, printed)
    // A server that started at the same time may have finished first: then there is a cluster with this password.
    await rename(data, cluster).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    })
  } finally {
    await discard(unfinished)
  }
}

/** @returns the path of the password of every cluster that is made in this DATA_DIR, however many start at once */
async function storedPassword(dataDir: string, unfinished: string): Promise<string> {
  const path = passwordPath(dataDir)
  const passwordFile = join(unfinished, 'new password')
  await writeFile(passwordFile, randomBytes(24).toString('hex'), { mode: 0o600 })
  // It appears with its text; of two starts, the second keeps the first's.
  await link(passwordFile, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  return path
}

export function passwordPath(dataDir: string): string {
  return join(dataDir, 'postgres.password')
}
