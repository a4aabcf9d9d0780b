import { randomBytes } from 'node:crypto'
import { chmod, chown, copyFile, link, mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { failed } from './embeddedError.ts'
import { type Postgres, pathForAccount } from './postgres.ts'
import { runProgram } from './runProgram.ts'
import { discard, temporaryFolder } from './temporaryFolder.ts'

/**
 * Creates a cluster. It gets its name when it is complete, so that a start which is killed, or fails on a full disk,
 * leaves nothing that looks like a cluster.
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
      // Change the outer folder last: until then the account cannot replace an entry with a link.
      for (const path of [password, data, unfinished]) await chown(path, account.uid, account.gid)
    }
    const { outcome, printed } = await runProgram(
      join(bin, 'initdb'),
      [
        ...['--pgdata', await pathForAccount(data, account)],
        ...['--username', 'payment_intents', '--pwfile', '../password'],
        ...['--auth', 'scram-sha-256', '--encoding', 'UTF8', '--locale', 'C', '--no-instructions'],
      ],
      { account, cwd: data },
    )
    if (outcome === 'failed') throw await failed('could not be initialised', dataDir, printed)
    // Another server that started at the same time may have finished first. Its cluster has the same password.
    await rename(data, cluster).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    })
  } finally {
    await discard(unfinished)
  }
}

/** @returns the path of the password, which all concurrent starts in the same DATA_DIR use */
async function storedPassword(dataDir: string, unfinished: string): Promise<string> {
  const path = passwordPath(dataDir)
  const passwordFile = join(unfinished, 'new password')
  await writeFile(passwordFile, randomBytes(24).toString('hex'), { mode: 0o600 })
  // Link the complete file: of two concurrent starts, the second then reads the whole password of the first.
  await link(passwordFile, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  return path
}

export function passwordPath(dataDir: string): string {
  return join(dataDir, 'postgres.password')
}
