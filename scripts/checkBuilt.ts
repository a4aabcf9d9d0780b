import { globSync, readFileSync } from 'node:fs'

/**
 * Run before the package of the working folder is packed: a package without its build is a tarball without JavaScript,
 * which nobody notices before it is installed.
 */
type Target = string | { readonly [condition: string]: Target }

const { name, exports = {}, bin = {} } = JSON.parse(readFileSync('package.json', 'utf8'))
const missing = [...new Set(filesOf({ ...exports, ...bin }))].filter(
  (pattern) => globSync(pattern).length === 0,
)
if (missing.length > 0) {
  console.error(`${name} is not built: ${missing.join(', ')} is missing. Run \`pnpm build\` first.`)
  process.exit(1)
}

/** Every published file that a manifest names; sources are not published. */
function filesOf(target: Target, condition?: string): string[] {
  if (condition === 'source') return []
  if (typeof target === 'string') return [target]
  return Object.entries(target).flatMap(([key, value]) => filesOf(value, key))
}
