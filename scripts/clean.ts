import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { cacheFolder } from './fetch/completeFolder.ts'

/**
 * Removes files outside the clone that `pnpm start`, tests and benchmarks leave: the cache of fetched packages, temporary folders, and the state
 * that an anvil could not remove because it was killed. Removes nothing while a process uses them. Only Linux lists its processes in
 * files: elsewhere, stop what runs first.
 */
const states = join(homedir(), '.foundry/anvil/tmp')
const paths = [
  ...(existsSync(cacheFolder()) ? [cacheFolder()] : []),
  // A clone may have such a name.
  ...entries(tmpdir(), 'payment-intents-').filter((path) => !existsSync(join(path, '.git'))),
  ...entries(states, 'anvil-state-'),
]
const processes = existsSync('/proc/self/cmdline') ? runningProcesses() : []
const blocker = processes.find(({ uses }) => paths.some(uses))
if (blocker) {
  const used = paths.find(blocker.uses)
  console.error(
    `Nothing was removed: process ${blocker.pid} (${blocker.command}) may use ${used}. Stop it, then run this again.`,
  )
  process.exit(1)
}
for (const path of paths) {
  const size = sizeOf(path)
  rmSync(path, { recursive: true, force: true })
  console.log(
    `Removed ${path}: ${size < 1e6 ? `${Math.ceil(size / 1e3)} kB` : `${Math.round(size / 1e6)} MB`}`,
  )
}
if (paths.length === 0) console.log('Nothing to remove.')

/** Entries of a folder that this user may remove, sorted by name. */
function entries(folder: string, prefix: string): string[] {
  const user = process.getuid?.() ?? 0
  return (existsSync(folder) ? readdirSync(folder) : [])
    .filter((name) => name.startsWith(prefix))
    .map((name) => join(folder, name))
    .filter((path) => user === 0 || lstatSync(path, { throwIfNoEntry: false })?.uid === user)
    .sort()
}

type RunningProcess = {
  readonly pid: string
  readonly command: string
  uses(path: string): boolean
}

function runningProcesses(): RunningProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map((pid) => {
      const args = attempt(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')).split('\0')
      const cwd = attempt(() => readlinkSync(`/proc/${pid}/cwd`))
      const variables = attempt(() => readFileSync(`/proc/${pid}/environ`, 'utf8')).split('\0')
      const isAnvil = basename(args[0] ?? '') === 'anvil' && variables.includes(`HOME=${homedir()}`)
      return {
        pid,
        command: args.join(' ').trim().slice(0, 200),
        uses: (path) =>
          (isAnvil && path.startsWith(`${states}/`)) ||
          [...args, cwd].some((text) => text.endsWith(path) || text.includes(`${path}/`)),
      }
    })
}

/** Returns nothing of a process that has ended, or that belongs to somebody else. */
function attempt(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}

/** The bytes of a file, or of all files below a folder. */
function sizeOf(path: string): number {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (!stats?.isDirectory()) return stats?.size ?? 0
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
}
