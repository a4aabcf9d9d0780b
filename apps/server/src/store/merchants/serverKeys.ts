import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type ServerKey, serverKeyOf } from '../../lib/crypto/serverKey.ts'
import { StartError } from '../../lib/startError.ts'
import type { Queryable } from '../connection/connect.ts'
import { leaveFingerprint, readFingerprint, usedFingerprints } from './serverSecret.ts'

/** The keys of a process: those of `SERVER_SECRET` and of each secret in `SERVER_SECRET_PREVIOUS`. */
export type ServerKeys = {
  /** The key that derives new secrets. The database names it; it may be the key of a previous secret. */
  current(): ServerKey
  /** All valid keys. */
  readonly all: readonly ServerKey[]
  /** The key with a fingerprint from the database. */
  named(fingerprint: string): ServerKey
  /** The key of `SERVER_SECRET`, to which a rotation changes. */
  readonly next: ServerKey
  /** Whether at the start no rotation had made `SERVER_SECRET` the current secret. */
  readonly isAwaitingRotation: boolean
  /**
   * Reads whether a rotation has changed the key.
   * @returns false: this process lacks the new key
   */
  refresh(db: Queryable): Promise<boolean>
}

/** Keys that never change. */
export function fixedKeys(key: ServerKey): ServerKeys {
  return keysOf([key], key)
}

/** `serverSecret` null: the secret is in a file of the data directory, which the first server creates. */
export type Secrets = {
  readonly serverSecret: string | null
  readonly previousSecrets: readonly string[]
  readonly dataDir: string
}

/**
 * Derives the keys, and compares them with those that the database uses. The first server of a database stores the
 * fingerprint of its key.
 * @throws {StartError} if the secrets lack a key that is in use
 */
export async function openServerKeys(db: Queryable, secrets: Secrets): Promise<ServerKeys> {
  const secret = secrets.serverSecret ?? (await storedSecret(secrets.dataDir))
  const next = serverKeyOf(secret)
  const all: [ServerKey, ...ServerKey[]] = [next, ...secrets.previousSecrets.map(serverKeyOf)]
  const fingerprint = await leaveFingerprint(db, next.fingerprint)
  const current = all.find((key) => key.fingerprint === fingerprint)
  if (!current) {
    throw new StartError(
      'SERVER_SECRET does not belong to this database, so no open checkout and no webhook signature would be valid: set the secret that the other servers have or had, or add it to SERVER_SECRET_PREVIOUS (without SERVER_SECRET it is in the file server.secret of DATA_DIR).',
    )
  }
  const fingerprints = new Set(all.map((key) => key.fingerprint))
  const lacking = (await usedFingerprints(db)).filter((used) => !fingerprints.has(used.fingerprint))
  const endpoints = lacking.reduce((sum, { endpoints }) => sum + endpoints, 0)
  if (endpoints > 0) {
    throw new StartError(
      `SERVER_SECRET_PREVIOUS lacks the secret that signs the webhooks of ${endpoints} ${endpoints === 1 ? 'endpoint' : 'endpoints'}: add it again, until their secrets are rotated (the command \`secret show\` counts them).`,
    )
  }
  return keysOf(all, current)
}

function keysOf(all: readonly [ServerKey, ...ServerKey[]], first: ServerKey): ServerKeys {
  let current = first
  const [next] = all
  const find = (fingerprint: string) => all.find((key) => key.fingerprint === fingerprint)
  return {
    current: () => current,
    all,
    next,
    isAwaitingRotation: first !== next,
    named(fingerprint) {
      const key = find(fingerprint)
      if (!key) throw new Error('SERVER_SECRET_PREVIOUS lacks a secret that is in use.')
      return key
    },
    async refresh(db) {
      const fingerprint = await readFingerprint(db)
      const key = fingerprint === null ? current : find(fingerprint)
      if (key) current = key
      return key !== undefined
    },
  }
}

async function storedSecret(dataDir: string): Promise<string> {
  const path = join(dataDir, 'server.secret')
  return (await readSecret(path)) ?? createSecret(path)
}

function readSecret(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return null
  })
}

async function createSecret(path: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true })
  const draft = `${path}.new-${randomBytes(8).toString('hex')}`
  try {
    await writeFile(draft, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' })
    // Link the complete file: of servers that start at once, all others then read the whole secret of the first.
    await link(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(draft, { force: true })
  }
  return readFile(path, 'utf8')
}
