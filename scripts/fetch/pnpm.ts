import { execFile } from 'node:child_process'
import { basename } from 'node:path'
import { promisify } from 'node:util'

type Output = { readonly stdout: string; readonly stderr: string }

/**
 * Runs pnpm to its end: the pnpm that runs this script, else the pnpm from `npx`.
 *
 * @throws Error with what it printed
 */
export async function pnpm(args: readonly string[], cwd: string): Promise<Output> {
  const { npm_execpath: self = '' } = process.env
  const [file, ...first] =
    basename(self) === 'pnpm' ? [self] : ['npx', '--yes', '--prefer-offline', 'pnpm@12']
  const options = { cwd, maxBuffer: 64 * 1024 * 1024 }
  try {
    return await promisify(execFile)(file, [...first, ...args], options)
  } catch (error) {
    const { message, stdout = '', stderr = '' } = error as Error & Partial<Output>
    throw new Error(`${message}\n${stdout}\n${stderr}`.trim())
  }
}
