import { spawn } from 'node:child_process'
import { delimiter, dirname } from 'node:path'
import { followProcess, type TestProcess } from '../../../support/startProcess.ts'

export type Options = { readonly cwd: string; readonly env: Readonly<Record<string, string>> }

const running = new Set<TestProcess>()

/** A `PATH` with this Node.js and the machine's programs, without those of the workspace. */
export function pathWith(node: string): string {
  const machine = (process.env.PATH ?? '').split(delimiter)
  return [dirname(node), ...machine.filter((path) => !path.includes('node_modules'))].join(
    delimiter,
  )
}

/** Starts a line of a shell as a process group, as a terminal and a job of GitHub do. `env` is its whole environment. */
export function start(line: string, { cwd, env }: Options): TestProcess {
  const shell = ['--noprofile', '--norc', '-e', '-o', 'pipefail', '-c', line]
  const child = spawn('bash', shell, {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const started = followProcess(child, line)
  running.add(started)
  started.ended.then(() => running.delete(started))
  return started
}

/** Runs a line to its end. @returns what it printed to stdout @throws Error with all that it printed, when it fails */
export async function run(line: string, options: Options): Promise<string> {
  const started = start(line, options)
  const how = await started.ended
  if (how !== 0) throw new Error(`${line} ended with ${how}. It printed:\n${started.output()}`)
  return started.output('stdout').trim()
}

/** Ctrl-C: every process of the line gets the signal. */
export async function interrupt({ pid, ended }: TestProcess) {
  process.kill(-pid, 'SIGINT')
  return ended
}

/** Ends the lines that a failed test has left running; a server ends its PostgreSQL. */
export async function endAll(): Promise<void> {
  await Promise.allSettled([...running].map(interrupt))
}
