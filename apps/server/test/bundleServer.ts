import { execFile } from 'node:child_process'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const folder = join(import.meta.dirname, '..')
/** Inside `node_modules`, so that the server's dependencies are found and nothing else reads it. */
const bundle = 'node_modules/.cache/test-bundle/dist'

/** The server bundled with its dependencies: it starts with a fifth of the CPU that the sources take. */
export const serverFile = join(folder, bundle, 'server.js')

/** Bundles the present sources, before the tests. */
export async function setup() {
  await promisify(execFile)(process.execPath, ['build.ts', bundle, '--whole'], { cwd: folder })
  // Like the package, beside `dist`.
  await copyFile(join(folder, 'package.json'), join(folder, bundle, '../package.json'))
}
