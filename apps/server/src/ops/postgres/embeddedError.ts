import { statfs } from 'node:fs/promises'

/** The embedded PostgreSQL cannot run here. The message says why and what to do; no stack is printed. */
export class EmbeddedError extends Error {
  override name = 'EmbeddedError'
}

export const orExternalDatabase = 'or set DATABASE_URL to a PostgreSQL of your own.'

/** PostgreSQL cannot continue with less: a segment of its write-ahead log has this size. */
const minimumFreeBytes = 16 * 1024 * 1024
const shownLines = 10
/** A message of initdb, for example in a container that runs with a user ID which its image does not know. */
const unknownUserId = /could not look up effective user ID/

/**
 * Creates the error after a program of PostgreSQL failed: a sentence, and then the last lines of its output.
 *
 * @param action follows "the embedded PostgreSQL" in the sentence, such as `did not start`
 */
export async function failed(
  action: string,
  dataDir: string,
  printed: string,
): Promise<EmbeddedError> {
  const isFull =
    // The last pattern is PostgreSQL's hint after it wrote only a part of a page.
    /No space left on device|Disk quota exceeded|Check free disk space/.test(printed) ||
    (await freeBytes(dataDir)) < minimumFreeBytes
  const remedy = isFull
    ? 'free some space there'
    : unknownUserId.test(printed)
      ? `give ${self()} a name in /etc/passwd, run as a user that has one`
      : 'correct what it reports below'
  const subject = isFull
    ? `The disk of ${dataDir} is full, and the embedded PostgreSQL`
    : `The embedded PostgreSQL in ${dataDir}`
  const sentence = `${subject} ${action}: ${remedy}, ${orExternalDatabase}`
  const lines = printed.trim().split('\n').slice(-shownLines)
  return new EmbeddedError(`${sentence}\n${lines.join('\n')}`)
}

/** Converts an error of the file system in DATA_DIR to an `EmbeddedError`; returns any other error unchanged. */
export function explain(error: unknown, dataDir: string): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  const why = code && reasons[code]
  if (!why || error instanceof EmbeddedError) return error
  return new EmbeddedError(`DATA_DIR ${dataDir} ${why}, ${orExternalDatabase} (${message})`, {
    cause: error,
  })
}

const reasons: { readonly [code: string]: string } = {
  ENOSPC: 'is on a full disk: free some space there',
  EDQUOT: 'is on a disk whose quota is used up: free some space there',
  EROFS: 'is on a read-only disk: choose a folder that can be written',
  EACCES: `cannot be used by ${self()}: choose another folder, run as its owner`,
  EPERM: `cannot be changed by ${self()}: choose another folder`,
  ENOTDIR: 'is not a folder: choose another path',
  EBUSY: 'has a volume mounted at its folder `postgres`: mount it at DATA_DIR instead',
  EXDEV: 'has a volume mounted at its folder `postgres`: mount it at DATA_DIR instead',
  EEXIST: 'is not a folder: choose another path',
}

function self(): string {
  return process.getuid ? `user ID ${process.getuid()}` : 'this user'
}

async function freeBytes(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path)
  return bavail * bsize
}
