import { readFileSync } from 'node:fs'
import { fetchModule } from '../../../../scripts/fetch/fetchModule.ts'

/** A process around one edge runtime: `edgeHost.ts <bundle> <control URL>`. */
const [, , bundle = '', control = ''] = process.argv
type Exports = {
  readonly EdgeRuntime: new (options: {
    extend(context: object): object
  }) => { evaluate(script: string): void; readonly context: { readonly DONE: Promise<void> } }
}
const { EdgeRuntime } = await fetchModule<Exports>('edge-runtime', 'edge-runtime')
const runtime = new EdgeRuntime({
  extend: (context) => Object.assign(context, { CONTROL: control }),
})
runtime.evaluate(readFileSync(bundle, 'utf8'))
await runtime.context.DONE
