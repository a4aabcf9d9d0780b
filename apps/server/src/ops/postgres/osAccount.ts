import { chmod, lchown, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { EmbeddedError, orExternalDatabase } from './embeddedError.ts'
import { output, type User } from './runProgram.ts'

/** The account under which PostgreSQL runs if this process is root. */
export type Account = User & { readonly name: string }

/**
 * Finds an account for PostgreSQL, which refuses to run as root.
 *
 * @param owner user and group of an existing cluster
 * @throws EmbeddedError when there is no account, or this process may not use it
 */
export async function findAccount(owner: User | null): Promise<Account> {
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '')
  const account = chooseAccount(passwd, owner)
  if (!account) {
    throw new EmbeddedError(
      `PostgreSQL refuses to run as root, and /etc/passwd has no other account: add one, run as another user, ${orExternalDatabase}`,
    )
  }
  const { outcome, printed } = await output(account, ':')
  if (outcome === 'done') return account
  throw new EmbeddedError(
    `PostgreSQL refuses to run as root, and this process could not start a program as user ${account.name}: run as another user, ${orExternalDatabase} (${printed})`,
  )
}

/**
 * Chooses the owner of the cluster. For a new cluster or root's, chooses `postgres`, or else `nobody`, or else the
 * first account that is not root.
 *
 * @param passwd the text of a passwd(5) file: initdb looks up its account there
 */
export function chooseAccount(passwd: string, owner: User | null): Account | null {
  const accounts = passwd.split('\n').flatMap(parse)
  if (owner && owner.uid !== 0) {
    const entry = accounts.find(({ uid }) => uid === owner.uid)
    return entry ?? { name: `with ID ${owner.uid}`, uid: owner.uid, gid: owner.gid }
  }
  const named = (name: string) => accounts.find((account) => account.name === name)
  return named('postgres') ?? named('nobody') ?? accounts[0] ?? null
}

/** Makes the account the owner of a cluster that belongs to root, for example after root restored it from a backup. */
export async function chownCluster(cluster: string, { uid, gid }: User): Promise<void> {
  // PostgreSQL requires this mode. It also locks the account out until everything is changed.
  await chmod(cluster, 0o700)
  // Change the folder itself last: its owner shows whether the change is complete.
  for (const name of await readdir(cluster, { recursive: true })) {
    await lchown(join(cluster, name), uid, gid)
  }
  await lchown(cluster, uid, gid)
}

/** Skips root, and lines such as NIS's `+::::::`. */
function parse(line: string): Account[] {
  const [name, , uid, gid] = line.split(':')
  if (!name || !isId(uid) || !isId(gid) || Number(uid) === 0) return []
  return [{ name, uid: Number(uid), gid: Number(gid) }]
}

/** Whether Node.js can pass an id to setuid(2). It cannot pass -2, the id of `nobody` on macOS. */
function isId(text: string | undefined): text is string {
  return text !== undefined && /^\d+$/.test(text) && Number(text) < 2 ** 31
}
