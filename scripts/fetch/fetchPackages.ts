import { existsSync } from 'node:fs'
import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { completeFolder } from './completeFolder.ts'
import { pnpm } from './pnpm.ts'

const sets = join(import.meta.dirname, 'sets')
const files = ['package.json', 'pnpm-lock.yaml']
const platform = `${process.platform}-${process.arch}`
const install = [
  ...['install', '--frozen-lockfile', '--ignore-scripts', '--ignore-workspace'],
  // Its hashes were reviewed; with them, packages fetched for one clone need no registry for the next.
  ...['--trust-lockfile', '--config.fetch-retries=1'],
]

/** The registry has nothing for this platform. */
export class PlatformError extends Error {
  override name = 'PlatformError'
}

/**
 * Packages that only some commands need, and that would make every clone heavier: a folder with a set of them in its
 * `node_modules`. They are fetched when they are first needed, by the versions and hashes of the set's lockfile, and
 * without running their install scripts.
 *
 * @param set name of a folder in `sets`; of its optional dependencies, the folder has those for this platform
 * @throws PlatformError
 * @throws Error that says what to do, when the registry cannot be reached
 */
export async function fetchPackages(set: string, source = join(sets, set)): Promise<string> {
  const texts = await Promise.all(files.map((file) => readFile(join(source, file), 'utf8')))
  return completeFolder({
    name: `${set}-${platform}`,
    key: texts.join(''),
    async fill(folder) {
      await Promise.all(files.map((file) => cp(join(source, file), join(folder, file))))
      const output = await pnpm(install, folder).then(
        ({ stdout, stderr }) => `${stdout}\n${stderr}`,
        (error: Error) => Promise.reject(unreachable(set, error.message)),
      )
      // pnpm warns of an optional package that it cannot fetch, and goes on without it.
      if (output.includes('could not be fetched')) throw unreachable(set, output)
      const { optionalDependencies = {} } = JSON.parse(texts[0] ?? '')
      const names = Object.keys(optionalDependencies)
      if (
        names.length === 0 ||
        names.some((name) => existsSync(join(folder, 'node_modules', name)))
      )
        return
      throw new PlatformError(`There is no "${set}" for ${platform} among ${names.join(', ')}.`)
    },
  })
}

function unreachable(set: string, cause: string): Error {
  return new Error(
    `"${set}" could not be fetched. Its packages come from your npm registry, when they are first needed: see that it can be reached (npm ping), and run this again.\n\n${cause.trim()}`,
  )
}
