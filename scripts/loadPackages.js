import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * Loads every entry point of the built packages that is not for pages, by `import` and by `require`, and runs the
 * command line, on the Node.js that runs this. It is JavaScript because Node.js 20 reads no types.
 */
const packages = join(import.meta.dirname, '../packages')
let loaded = 0
for (const name of readdirSync(packages)) {
  const folder = join(packages, name)
  const { private: isPrivate, exports = {}, bin = {} } = read(join(folder, 'package.json'))
  if (isPrivate) continue
  const require = createRequire(join(folder, 'package.json'))
  for (const conditions of Object.values(exports)) {
    // Scripts of pages have no types.
    if (!conditions.import?.types && !conditions.require?.types && !conditions.types) continue
    const esm = conditions.import?.default ?? conditions.default
    const cjs = conditions.require?.default
    if (esm) await load(() => import(pathToFileURL(join(folder, esm)).href), `${name} ${esm}`)
    if (cjs) await load(() => require(join(folder, cjs)), `${name} ${cjs}`)
  }
  for (const path of Object.values(bin))
    execFileSync(process.execPath, [join(folder, path), '--help'], { stdio: 'ignore' })
}
console.log(`Node.js ${process.version} loaded ${loaded} entry points.`)

function read(path) {
  return JSON.parse(readFileSync(path, 'utf8'))
}

async function load(entry, name) {
  const exported = await entry()
  if (Object.keys(exported).length === 0) throw new Error(`${name} exports nothing.`)
  loaded++
}
