import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { fetchExecutable } from '../../../../scripts/fetch/fetchExecutable.ts'

type Options = { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> }

/** The compile cache of Node.js: the programs load the same packages again and again. */
const NODE_COMPILE_CACHE = join(import.meta.dirname, '../../../../node_modules/.cache/node')

/** Runs a program to its end. What it printed is in the error when it fails. */
export async function run(file: string, args: readonly string[], { cwd, env }: Options = {}) {
  const options = {
    cwd,
    env: { NODE_COMPILE_CACHE, ...process.env, ...env },
    maxBuffer: 64 * 1024 * 1024,
  }
  try {
    return await promisify(execFile)(file, args, options)
  } catch (error) {
    const { message, stdout, stderr } = error as Error & { stdout: string; stderr: string }
    throw new Error(`${message}\n${stdout}\n${stderr}`)
  }
}

/** The Node.js that runs the tests, and the oldest that the packages promise to run on. */
export const runtimes = [
  [`Node ${process.versions.node}`, async () => process.execPath],
  ['Node 20', () => fetchExecutable('node-20', 'bin/node')],
] as const
