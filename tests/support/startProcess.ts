import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { until } from './until.ts'

export type TestProcess = {
  readonly pid: number
  /** The output so far: of one stream, or of both in their order. */
  output(stream?: 'stdout' | 'stderr'): string
  /** How it ended: its exit code, or the signal. */
  readonly ended: Promise<number | NodeJS.Signals>
  /**
   * Waits until `check` returns without throwing, and returns what it returned.
   *
   * @throws Error with the output, as soon as the process has ended
   */
  until<T>(check: () => T | Promise<T>): Promise<T>
  /** Waits for it to print what matches. */
  prints(pattern: RegExp): Promise<RegExpExecArray>
  /** Sends a signal, unless it has ended, and waits for the end. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>
}

export type ProcessOptions = {
  readonly args?: readonly string[]
  /** Its whole environment, but `PATH`, `HOME` and where Node.js keeps what it has compiled. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly cwd?: string
  /** A process group of its own, as a terminal makes for a command. */
  readonly detached?: boolean
}

/** The compile cache of Node.js: it saves a third of the CPU that starting the server takes. */
const compileCache = join(import.meta.dirname, '../../node_modules/.cache/node')

/** Runs a file with the Node.js of this process. */
export function startProcess(file: string, options: ProcessOptions = {}): TestProcess {
  const { args = [], env, cwd, detached = false } = options
  const { PATH, HOME } = process.env
  const child = spawn(process.execPath, [file, ...args], {
    ...{
      env: { PATH, HOME, NODE_COMPILE_CACHE: compileCache, ...env },
      detached,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
    ...(cwd === undefined ? {} : { cwd }),
  })
  return followProcess(child, file)
}

/** The same of a process that was just started, however it was. */
export function followProcess(child: ChildProcess, name: string): TestProcess {
  let output = ''
  const printed = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
      printed[stream] += chunk
    })
  }
  const over = new AbortController()
  const ended = once(child, 'close').then(([code, signal]) => {
    const how: number | NodeJS.Signals = signal ?? code
    const ending = typeof how === 'number' ? `exit code ${how}` : how
    over.abort(new Error(`${name} ended with ${ending}. It printed:\n${output}`))
    return how
  })
  const untilNow: TestProcess['until'] = (check) => until(check, over.signal)
  return {
    pid: child.pid ?? 0,
    output: (stream) => (stream ? printed[stream] : output),
    ended,
    until: untilNow,
    prints: (pattern) =>
      untilNow(() => {
        const match = pattern.exec(output)
        if (match) return match
        throw new Error(`It has not printed ${pattern}, but:\n${output}`)
      }),
    async end(signal) {
      if (!over.signal.aborted) child.kill(signal)
      return ended
    },
  }
}
