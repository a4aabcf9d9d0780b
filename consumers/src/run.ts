import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

type Options = { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> }

/** Runs a program to its end. What it printed is in the error when it fails. */
export async function run(file: string, args: readonly string[], { cwd, env }: Options = {}) {
  const options = { cwd, env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 }
  try {
    return await promisify(execFile)(file, args, options)
  } catch (error) {
    const { message, stdout, stderr } = error as Error & { stdout: string; stderr: string }
    throw new Error(`${message}\n${stdout}\n${stderr}`)
  }
}

const node20 = join(import.meta.dirname, '../node_modules/node-20/bin/node')

/** The Node.js that runs the tests, and the oldest that the packages promise to run on, where it is installed. */
export const runtimes: readonly (readonly [name: string, path: string])[] = [
  [`Node ${process.versions.node}`, process.execPath],
  ...(existsSync(node20) ? [['Node 20', node20] as const] : []),
]
