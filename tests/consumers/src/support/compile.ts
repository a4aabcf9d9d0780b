import { join } from 'node:path'
import { fetchPackages } from '../../../../scripts/fetch/fetchPackages.ts'
import { isFull } from '../../../support/tier.ts'
import { run } from './run.ts'

export type Version = '5.4' | '5.9' | '7'

/** The compiler of each version, as arguments of Node.js: the oldest supported, the last that is written in JavaScript, and the newest. */
const compilers: Record<Version, (cwd: string) => Promise<string[]>> = {
  '5.4': async () => [
    join(await fetchPackages('typescript-5.4'), 'node_modules/typescript/bin/tsc'),
  ],
  '5.9': async (cwd) => [join(cwd, 'node_modules/typescript/bin/tsc')],
  // Each of several threads would check the types of the same libraries again.
  '7': async () => [
    join(import.meta.dirname, '../../../../node_modules/typescript/bin/tsc'),
    '--singleThreaded',
  ],
}

/** Errors of the newest compiler in the types of `msw` 2, which is older. */
const inMsw = /^\S*\/node_modules\/@mswjs\/\S+: error TS2416: .*\n(?: .*\n)*/gm

/**
 * Type-checks a project, its declarations included, and writes its JavaScript if its settings say so. The newest compiler
 * checks it in a quarter of the time; the full tier adds 5.9.
 *
 * @throws Error with the errors of a compiler
 */
export async function compile(cwd: string, ...args: string[]): Promise<void> {
  for (const version of isFull ? (['7', '5.9'] as const) : (['7'] as const)) {
    await compileWith(version, cwd, ...args)
  }
}

/**
 * `compile` with one compiler.
 *
 * @returns what it printed, such as the files that `--listFiles` lists
 * @throws Error with its errors
 */
export async function compileWith(
  version: Version,
  cwd: string,
  ...args: string[]
): Promise<string> {
  const [program = '', ...flags] = await compilers[version](cwd)
  try {
    return (await run(process.execPath, [program, ...flags, ...args], { cwd })).stdout
  } catch (error) {
    // The compiler's output is below the first line, which is the failure's.
    const [, ...lines] = `${(error as Error).message}\n`.split('\n')
    const output = lines.join('\n')
    const others = output.replaceAll(inMsw, '')
    if (others === output || others.includes('error TS')) throw error
    return others
  }
}
