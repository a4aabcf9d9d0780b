import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fetchPackages } from './fetch/fetchPackages.ts'

/** Runs one of the programs that check the workspace and returns its exit code. */
export async function runTool(program: string, ...args: string[]): Promise<number> {
  const folder = await fetchPackages('tools')
  const child = spawn(join(folder, 'node_modules/.bin', program), args, { stdio: 'inherit' })
  const [code] = await once(child, 'close')
  return code ?? 1
}
