import type { Stats } from 'node:fs'
import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  realpath,
  stat,
  symlink,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Copies a folder. Everybody can read the copy and only its owner can write it, with any umask. */
export async function copyTree(from: string, to: string): Promise<void> {
  await chmod(to, 0o755)
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) {
      await mkdir(target)
      await copyTree(source, target)
    } else if (entry.isSymbolicLink()) {
      await symlink(await readlink(source), target)
    } else {
      await copyFile(source, target)
      const isProgram = ((await lstat(source)).mode & 0o111) !== 0
      await chmod(target, isProgram ? 0o755 : 0o644)
      await flush(target)
    }
  }
}

/** Whether a copy of a folder is complete, and only this user can write it. Compares sizes, not contents. */
export async function isIntact(from: string, to: string): Promise<boolean> {
  if (!(await isPrivateFolder(to))) return false
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) {
      if (!(await isIntact(source, target))) return false
    } else if (entry.isSymbolicLink()) {
      if ((await readlink(source)) !== (await readlink(target).catch(() => null))) return false
    } else {
      const [original, copy] = [await lstat(source), await lstat(target).catch(() => null)]
      if (!copy?.isFile() || copy.size !== original.size || !isPrivate(copy)) return false
    }
  }
  return true
}

/** Whether the path is a folder, and not a link to a folder, that only this user can write. */
export async function isPrivateFolder(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => null)
  return stats?.isDirectory() === true && isPrivate(stats)
}

function isPrivate({ uid, mode }: Stats): boolean {
  return uid === process.getuid?.() && (mode & 0o022) === 0
}

/** Whether only root and this user can rename this user's entries in a folder, or a folder above it. */
export async function keepsEntries(folder: string): Promise<boolean> {
  const path = await realpath(folder)
  const { uid, mode } = await stat(path)
  const isSticky = (mode & 0o1000) !== 0
  if (uid !== 0 && uid !== process.getuid?.()) return false
  if ((mode & 0o022) !== 0 && !isSticky) return false
  return path === dirname(path) || keepsEntries(dirname(path))
}

/** Syncs a file: if a power failure lost its contents but not its size, it would look intact. */
async function flush(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
