import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { buildSite } from './buildSite.ts'

/**
 * `main.ts [--out <folder>] [--base <path>]`: the documentation as static files. By default they go into the server's
 * package, which serves them at `/docs/`.
 */
const { values } = parseArgs({
  options: {
    out: { type: 'string', default: join(import.meta.dirname, '../../apps/server/dist/docs') },
    base: { type: 'string', default: '/docs/' },
  },
})
await buildSite({ out: resolve(values.out), base: values.base })
console.log(`The documentation is in ${resolve(values.out)}, to be served at ${values.base}`)
