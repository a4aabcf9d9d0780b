import { readFileSync } from 'node:fs'
import { EdgeRuntime } from 'edge-runtime'

/** A process around one edge runtime: `edgeHost.ts <bundle> <control URL>`. */
const [, , bundle = '', control = ''] = process.argv
const runtime = new EdgeRuntime({
  extend: (context) => Object.assign(context, { CONTROL: control }),
})
runtime.evaluate(readFileSync(bundle, 'utf8'))
await runtime.context.DONE
