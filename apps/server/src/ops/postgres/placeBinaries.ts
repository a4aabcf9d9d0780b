import { chmod, mkdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Binaries } from './binaries.ts'
import { copyTree, isIntact, isPrivateFolder, keepsEntries } from './copyTree.ts'
import { EmbeddedError, orExternalDatabase } from './embeddedError.ts'
import type { Account } from './osAccount.ts'
import { output, type Ran } from './runProgram.ts'
import { discard, temporaryFolder } from './temporaryFolder.ts'

/**
 * Folders for a copy. Only root can write below /var/lib, and nothing cleans it up. The others are for systems on which
 * it cannot be written.
 */
export const defaultPlaces: readonly string[] = [
  '/var/lib/payment-intents',
  '/var/tmp/payment-intents',
  '/tmp/payment-intents',
]

export type Placed = { readonly folder: string; readonly copy: 'none' | 'found' | 'made' }

/**
 * Finds the binaries where the account can run them: in place, or else in a copy that is made once per version.
 *
 * @throws EmbeddedError when no place can hold a copy
 */
export async function placeBinaries(
  binaries: Binaries,
  account: Account,
  places: readonly string[],
): Promise<Placed> {
  const installed = await tryOut(binaries.folder, account)
  if (installed.outcome === 'done') return { folder: binaries.folder, copy: 'none' }
  const refusals: string[] = []
  for (const place of places) {
    const placed = await placeIn(place, binaries, account).catch((error: Error) => error.message)
    if (typeof placed !== 'string') return placed
    refusals.push(`${place}: ${placed.trim()}`)
  }
  throw new EmbeddedError(
    `User ${account.name} cannot run the PostgreSQL programs in ${binaries.folder}, and no copy could be made, for the reasons below: let that user into the folder, run as another user, ${orExternalDatabase}\n${[installed.printed.trim(), ...refusals].join('\n')}`,
  )
}

/** @returns the copy, or a text with the reason why there is none */
async function placeIn(
  place: string,
  { folder, name }: Binaries,
  account: Account,
): Promise<Placed | string> {
  if (!(await keepsEntries(dirname(place)))) return 'others may change the folder above it'
  await mkdir(place).catch(unless('EEXIST'))
  if (!(await isPrivateFolder(place))) return 'it is no folder that root alone can write'
  await chmod(place, 0o755)
  const copy = join(place, name)
  if (await isIntact(folder, copy)) {
    const { outcome, printed } = await tryOut(copy, account)
    return outcome === 'done' ? { folder: copy, copy: 'found' } : printed
  }
  const unfinished = await temporaryFolder(place, name)
  try {
    const draft = join(unfinished, 'draft')
    await chmod(unfinished, 0o755)
    await mkdir(draft)
    await copyTree(folder, draft)
    const { outcome, printed } = await tryOut(draft, account)
    if (outcome === 'failed') return printed
    // Another server that started at the same time may have put its copy there. A copy that is not intact moves away.
    if (!(await isIntact(folder, copy))) {
      await rename(copy, join(unfinished, 'damaged')).catch(unless('ENOENT'))
      await rename(draft, copy).catch(unless('ENOTEMPTY', 'EEXIST'))
    }
    return { folder: copy, copy: 'made' }
  } finally {
    await discard(unfinished)
  }
}

/** Tries two things: `postgres` needs its libraries, and initdb needs the files in `share`. */
function tryOut(folder: string, account: Account): Promise<Ran> {
  const script = '"$1/bin/postgres" --version && : < "$1/share/postgresql/postgres.bki"'
  return output(account, script, { args: [folder] })
}

function unless(...codes: readonly string[]): (error: NodeJS.ErrnoException) => void {
  return (error) => {
    if (!codes.includes(error.code ?? '')) throw error
  }
}
