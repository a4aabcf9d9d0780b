import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from './failure.ts'

export type ChildOptions = {
  /** Shown to users; its log is `<name>.log`. */
  readonly name: string
  /** Arguments of Node. */
  readonly args: readonly string[]
  readonly env?: Record<string, string>
  onLine?(line: string): void
}

export type Child = {
  readonly name: string
  readonly logPath: string
  /** The end of the process, from any cause. */
  readonly ended: Promise<End>
  lastLines(): string
  /** Signals the process to end, then kills it; returns when it and all that it started are gone. */
  stop(): Promise<void>
}

/** How a process ended; `words` follow its name in messages. */
export type End = { readonly outcome: 'done' | 'failed'; readonly words: string }

const endWithParent = new URL('endWithParent.ts', import.meta.url).href
/** The grace period of a program after the signal to end, in milliseconds. */
const patience = 30_000
/** Milliseconds in which a program has to be ready. */
const readyPatience = 300_000
const shownLines = 15

/**
 * Starts Node in a process group of its own: Ctrl-C in a terminal goes to the whole foreground group at once, and
 * the processes here have to end in turn.
 */
export function startChild(options: ChildOptions, cwd: string, logsFolder: string): Child {
  mkdirSync(logsFolder, { recursive: true })
  const logPath = join(logsFolder, `${options.name}.log`)
  const log = createWriteStream(logPath)
  const last: string[] = []
  const spawned = spawn(process.execPath, ['--import', endWithParent, ...options.args], {
    cwd,
    env: { ...process.env, ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  for (const stream of [spawned.stdout, spawned.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      log.write(`${line}\n`)
      last.push(line)
      if (last.length > shownLines) last.shift()
      options.onLine?.(line)
    })
  }
  const ended = end(spawned)
  // Only now is the group's number certainly its own: the system may reuse that of an empty group.
  const deleted = ended.then(() => clearGroup(spawned.pid))
  void ended.then(() => log.end())
  return {
    name: options.name,
    logPath,
    ended,
    lastLines: () => last.map((line) => `    ${line}`).join('\n'),
    async stop() {
      spawned.kill('SIGTERM')
      const insisting = setTimeout(() => spawned.kill('SIGKILL'), patience)
      await deleted
      clearTimeout(insisting)
    },
  }
}

/**
 * Waits for a child to be ready.
 *
 * @throws Failure when it ends first, or takes longer than five minutes
 */
export async function untilReady(child: Child, isReady: () => Promise<boolean>): Promise<void> {
  let end: End | undefined
  void child.ended.then((how) => {
    end = how
  })
  for (const deadline = Date.now() + readyPatience; Date.now() < deadline; await sleep(50)) {
    if (end) throw crash(child, end)
    if (await isReady()) return
  }
  throw new Failure(
    `The ${child.name} was not ready within five minutes. Its last lines, from ${child.logPath}:\n${child.lastLines()}`,
  )
}

export function crash(child: Child, end: End): Failure {
  return new Failure(
    `The ${child.name} ${end.words}. Its last lines, from ${child.logPath}:\n${child.lastLines()}`,
  )
}

function end(child: ChildProcess): Promise<End> {
  return new Promise((resolve) => {
    child.once('error', (error) =>
      resolve({ outcome: 'failed', words: `cannot run: ${error.message}` }),
    )
    // `close`, not `exit`: the last lines have been read by then. Something it started may hold the pipes open
    // for ever, though, so that the end of the process itself has to do after a moment, and a look at the pipes.
    child.once('close', settle)
    child.once('exit', (...how) => setTimeout(() => setImmediate(settle, ...how), 2_000).unref())
    function settle(code: number | null, signal: NodeJS.Signals | null): void {
      if (code === 0) resolve({ outcome: 'done', words: 'ended by itself' })
      else resolve({ outcome: 'failed', words: `stopped with ${signal ?? `exit code ${code}`}` })
    }
  })
}

/** Ends what outlived its parent, such as a database whose server crashed: by SIGINT, then by SIGKILL. */
async function clearGroup(group: number | undefined): Promise<void> {
  if (group === undefined) return
  for (const signal of ['SIGINT', 'SIGKILL'] as const) {
    if (!signalGroup(group, signal)) return
    const deadline = Date.now() + patience / 2
    while (Date.now() < deadline) {
      if (!signalGroup(group, 0)) return
      await sleep(25)
    }
  }
}

function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal)
  } catch {
    return false
  }
}
