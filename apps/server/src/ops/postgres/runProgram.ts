import { spawn } from 'node:child_process'

/** The account of a program, if it is not this process's user. */
export type User = { readonly uid: number; readonly gid: number }

/** The outcome of a program. `printed` is its output, or the reason why it could not run. */
export type Ran = { readonly outcome: 'done' | 'failed'; readonly printed: string }

const maxCharacters = 10_000

/**
 * Runs a program to its end. Never rejects.
 *
 * @param options.account the account of the program; null: this process's user
 * @param options.cwd entered before the user is changed, so it may be in a folder that is closed to the account
 */
export async function runProgram(
  file: string,
  args: readonly string[],
  options: { readonly account: User | null; readonly cwd: string },
): Promise<Ran> {
  const { promise, resolve } = Promise.withResolvers<Ran>()
  const ids = options.account && { uid: options.account.uid, gid: options.account.gid }
  let printed = ''
  try {
    const child = spawn(file, args, {
      ...ids,
      cwd: options.cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        printed = (printed + text).slice(-maxCharacters)
      })
    }
    child.once('error', ({ message }) => resolve({ outcome: 'failed', printed: message }))
    child.once('close', (code, signal) => {
      const end = signal ? `${file} was ended by ${signal}.` : `${file} ended with code ${code}.`
      if (code === 0) resolve({ outcome: 'done', printed })
      else resolve({ outcome: 'failed', printed: printed.trim() || end })
    })
  } catch (error) {
    // Node.js throws some errors of spawn, such as EPERM for an account that this process may not use.
    resolve({ outcome: 'failed', printed: (error as Error).message })
  }
  return promise
}

/**
 * Runs a shell script as the account. Only a process of the account shows the account's rights, which depend on modes,
 * groups, access lists and mount options.
 */
export function output(
  account: User,
  script: string,
  options: { readonly cwd?: string; readonly args?: readonly string[] } = {},
): Promise<Ran> {
  const { cwd = '/', args = [] } = options
  return runProgram('/bin/sh', ['-c', script, 'sh', ...args], { account, cwd })
}
