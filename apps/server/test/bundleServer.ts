import { execFile } from 'node:child_process'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const folder = join(import.meta.dirname, '..')
/** Inside `node_modules`, so that the bundle finds the server's dependencies and nothing else reads it. */
const bundle = 'node_modules/.cache/test-bundle/dist'

/** The server bundled with its dependencies. It starts in a fifth of the CPU time of the sources. */
export const serverFile = join(folder, bundle, 'server.js')

/** Bundles the current sources before the tests. */
export async function setup() {
  await promisify(execFile)(process.execPath, ['build.ts', bundle, '--whole'], { cwd: folder })
  // Beside `dist`, as in the package.
  await copyFile(join(folder, 'package.json'), join(folder, bundle, '../package.json'))
}
