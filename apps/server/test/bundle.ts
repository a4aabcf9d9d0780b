import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const folder = join(import.meta.dirname, '..')
/** Inside `node_modules`, so that the server's dependencies are found and nothing else reads it. */
const bundle = 'node_modules/.cache/test-bundle'

/** The server with its dependencies in it: it starts with a fifth of the CPU that the sources take. */
export const serverFile = join(folder, bundle, 'server.js')

/** Bundles the sources as they are now, before the tests. */
export async function setup() {
  await promisify(execFile)(process.execPath, ['build.ts', bundle, '--whole'], { cwd: folder })
  // The package's own is not looked for from inside `node_modules`.
  await writeFile(join(folder, bundle, 'package.json'), '{ "type": "module" }')
}
