import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

export type RunningProcess = {
  /** Of the first line that matched. */
  readonly match: RegExpExecArray
  /** Every line so far, of both streams; more come while it runs. */
  readonly printed: readonly string[]
  /** Ends it with a signal and returns its exit code, null when the signal ended it. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>
}

/**
 * Runs a TypeScript file with Node and waits for it to print a line that matches.
 *
 * @throws Error with its exit code and all that it printed, when it ends before
 */
export async function startProcess(options: {
  readonly file: string
  readonly env: Record<string, string>
  readonly ready: RegExp
}): Promise<RunningProcess> {
  const child = spawn(process.execPath, [options.file], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  const printed: string[] = []
  const match = await new Promise<RegExpExecArray>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (line) => {
        printed.push(line)
        const found = options.ready.exec(line)
        if (found) resolve(found)
      })
    child.once('close', (code) =>
      reject(new Error(`It ended with code ${code} and these words:\n${printed.join('\n')}`)),
    )
  })
  return {
    match,
    printed,
    async end(signal) {
      child.kill(signal)
      const [code] = await ended
      return code
    },
  }
}
