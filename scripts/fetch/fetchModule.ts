import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fetchPackages } from './fetchPackages.ts'

/** The exports of a package of a set. */
export async function fetchModule<exports>(set: string, name: string): Promise<exports> {
  const folder = await fetchPackages(set)
  return createRequire(join(folder, 'package.json'))(name)
}
