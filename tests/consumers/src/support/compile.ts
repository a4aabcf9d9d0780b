import { join } from 'node:path'
import { isFull } from '../../../support/tier.ts'
import { run } from './run.ts'

/**
 * The compilers of TypeScript projects: the newest, which takes a quarter of the time, and in the full tier the last that is
 * written in JavaScript, which the projects have installed.
 */
const compilers = [
  // Each of several threads would check the types of the same libraries again.
  [join(import.meta.dirname, '../../../../node_modules/typescript/bin/tsc'), '--singleThreaded'],
  ...(isFull ? [['node_modules/typescript/bin/tsc']] : []),
]

/** Errors of the newest compiler in the types of `msw` 2, which is older. */
const notOurs = /^\S*\/node_modules\/@mswjs\/\S+: error TS2416: .*\n(?: .*\n)*/gm

/**
 * Type-checks a project, its declarations included, and writes its JavaScript if its settings say so.
 *
 * @throws Error with what a compiler found
 */
export async function compile(cwd: string, ...args: string[]): Promise<void> {
  for (const compiler of compilers) {
    await run(process.execPath, [...compiler, ...args], { cwd }).catch((error: Error) => {
      // The compiler's output is below the first line, which is the failure's.
      const [, ...lines] = `${error.message}\n`.split('\n')
      const problems = lines.join('\n').replaceAll(notOurs, '').trim()
      if (problems !== '' || lines.join('').trim() === '') throw error
    })
  }
}
