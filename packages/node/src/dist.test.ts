import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { apiKey, intent, json, ok, serve } from './testServer.ts'

// What is published, as a consumer loads it: through the package's own name.
const require = createRequire(import.meta.url)
const name = '@payment-intents/node'

function run(script: string, ...flags: string[]) {
  const args = [...flags, '--input-type=module', '--eval', script]
  return promisify(execFile)(process.execPath, args, { timeout: 20_000, cwd: import.meta.dirname })
}

test('an error of one copy is recognised by the other', async () => {
  const esm = await import(/* @vite-ignore */ new URL('../dist/index.js', import.meta.url).href)
  const cjs = require('../dist/index.cjs')
  expect(esm.PaymentIntentsError).not.toBe(cjs.PaymentIntentsError)
  const facts = { code: 'timeout', message: 'late' }
  expect(cjs.isPaymentIntentsError(new esm.PaymentIntentsError(facts))).toBe(true)
  expect(esm.isPaymentIntentsError(new cjs.PaymentIntentsError(facts))).toBe(true)
  for (const other of [new Error('late'), facts, null, 'timeout', undefined]) {
    expect(esm.isPaymentIntentsError(other)).toBe(false)
  }
})

test.each([
  ['import', `import { createClient } from '${name}'`],
  [
    'require',
    `import { createRequire } from 'node:module'
    const { createClient } = createRequire(import.meta.url)('${name}')`,
  ],
])(
  'after %s and a call with retries and a long deadline the process ends by itself',
  async (_, load) => {
    const server = await serve(json(500, { error: 'internal_error' }), ok)
    const { stdout } = await run(`${load}
    const client = createClient({ apiKey: '${apiKey}', baseUrl: '${server.url}' })
    const startedAt = performance.now()
    const { id } = await client.createPaymentIntent({ amount_units: 1 })
    process.on('exit', () => console.log(id, performance.now() - startedAt < 5000))`)
    expect(stdout.trim()).toBe(`${intent.id} true`)
  },
)

test.each(['import', 'require'])('%s for a browser throws a sentence', async (kind) => {
  const script =
    kind === 'import'
      ? `await import('${name}')`
      : `import { createRequire } from 'node:module'; createRequire(import.meta.url)('${name}')`
  const bundled = run(script, '--conditions=browser')
  await expect(bundled).rejects.toThrow(/Import it from your backend only/)
})

test.each(['workerd', 'edge-light'])(
  'a %s bundle gets the client, though it is also "browser"',
  async (runtime) => {
    const script = `console.log(typeof (await import('${name}')).createClient)`
    const { stdout } = await run(script, '--conditions=browser', `--conditions=${runtime}`)
    expect(stdout.trim()).toBe('function')
  },
)
