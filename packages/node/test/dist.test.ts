import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { patience } from '../../../tests/support/patience.ts'
import manifest from '../package.json' with { type: 'json' }
import { apiKey, intent, json, ok, serve } from './stubServer.ts'

// Loads the built package by its name, as a consumer does.
const name = '@payment-intents/node'

function run(script: string, ...flags: string[]) {
  const args = [...flags, '--input-type=module', '--eval', script]
  return promisify(execFile)(process.execPath, args, {
    timeout: patience,
    cwd: import.meta.dirname,
  })
}

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
    const options = { apiKey: '${apiKey}', baseUrl: '${server.url}', deadline: ${10 * patience} }
    const { id } = await createClient(options).createPaymentIntent({ amount_units: 1 })
    console.log(id)`)
    expect(stdout.trim()).toBe(intent.id)
  },
)

test.each([
  ['import', `import { createClient } from '${name}'`],
  [
    'require',
    `import { createRequire } from 'node:module'
    const { createClient } = createRequire(import.meta.url)('${name}')`,
  ],
])('after %s requests name the package and its version', async (_, load) => {
  const server = await serve(ok)
  await run(`${load}
  const options = { apiKey: '${apiKey}', baseUrl: '${server.url}' }
  await createClient(options).createPaymentIntent({ amount_units: 1 })`)
  expect(server.requests[0]?.headers['user-agent']).toBe(`payment-intents-node/${manifest.version}`)
})

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
