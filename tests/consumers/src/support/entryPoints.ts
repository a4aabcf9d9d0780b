import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

type Target = { import: { types: string }; require: { types: string } }
type Exports = Record<string, string | Target>

export type EntryPoint = {
  /** Such as `@payment-intents/contract/chains`. */
  readonly path: string
  /** Declaration files by module format, from the project's folder. */
  readonly declarations: { readonly esm: string; readonly cjs: string }
}

/** Every path that the installed packages can be imported by, from a program outside a browser. */
export async function entryPoints(project: string): Promise<EntryPoint[]> {
  const scope = join(project, 'node_modules/@payment-intents')
  const entries: EntryPoint[] = []
  for (const name of await readdir(scope)) {
    const manifest = JSON.parse(await readFile(join(scope, name, 'package.json'), 'utf8'))
    for (const [path, target] of Object.entries(manifest.exports as Exports)) {
      // A plain file: JSON, or the script for a page.
      if (typeof target === 'string') continue
      const declaration = (types: string) => join(`@payment-intents/${name}`, types)
      entries.push({
        path: `@payment-intents/${name}${path.slice(1)}`,
        declarations: {
          esm: declaration(target.import.types),
          cjs: declaration(target.require.types),
        },
      })
    }
  }
  return entries
}
