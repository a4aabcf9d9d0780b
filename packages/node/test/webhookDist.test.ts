import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createContext, runInContext } from 'node:vm'
import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { patience } from '../../../tests/support/patience.ts'
import {
  isWebhookVerificationError,
  WebhookVerificationError,
} from '../src/webhook/verification/webhookVerificationError.ts'
import { body, event, secret, sign } from './testWebhook.ts'

// Loads the built package by its name, as a consumer does.
const root = join(import.meta.dirname, '..')
const require = createRequire(import.meta.url)
const name = '@payment-intents/node'

function run(script: string) {
  const args = ['--input-type=module', '--eval', script]
  return promisify(execFile)(process.execPath, args, {
    timeout: patience,
    cwd: import.meta.dirname,
  })
}

describe.each([
  ['import', (path: string) => `await import('${path}')`],
  ['require', (path: string) => `createRequire(import.meta.url)('${path}')`],
])('%s', (_kind, load) => {
  const head = `import { createRequire } from 'node:module'`
  const argumentsText = `${JSON.stringify(body)}, ${JSON.stringify(sign(body))}, '${secret}'`

  test('exports verifyWebhook', async () => {
    const { stdout } = await run(`${head}
      const { verifyWebhook } = ${load(name)}
      const event = await verifyWebhook(${argumentsText})
      console.log(event.id)`)
    expect(stdout.trim()).toBe(event.id)
  })

  test('exports the adapters', async () => {
    const { stdout } = await run(`${head}
      const kinds = []
      const terms = { price: '0.01', wallet: '0x' + '1'.repeat(40) }
      for (const path of ['express', 'hono', 'next']) {
        const adapter = ${load(`${name}/' + path + '`)}
        kinds.push(typeof adapter.webhookHandler(() => {}), typeof adapter.paymentRequired(terms))
      }
      const fastify = ${load(`${name}/fastify`)}
      kinds.push(typeof fastify.webhookRoute('/', () => {}), typeof fastify.paymentRequired(terms))
      console.log(...kinds)`)
    expect(stdout.trim()).toBe(Array(8).fill('function').join(' '))
  })
})

test('an error of another copy or realm is recognised', () => {
  const path = join(root, 'dist/index.cjs')
  const module = { exports: {} as typeof import('../src/index.ts') }
  const scope = createContext({ require, module, exports: module.exports })
  runInContext(readFileSync(path, 'utf8'), scope)
  const error = new module.exports.WebhookVerificationError('wrong_mode', 'other')
  expect(error).not.toBeInstanceOf(Error)
  expect(isWebhookVerificationError(error)).toBe(true)
  const subclassError = new WebhookVerificationError('wrong_mode', 'own')
  expect(module.exports.isWebhookVerificationError(subclassError)).toBe(true)
  for (const other of [new Error('own'), { code: 'wrong_mode' }, null, 'wrong_mode', undefined]) {
    expect(isWebhookVerificationError(other)).toBe(false)
  }
})

test.each([
  `export { verifyWebhook } from '${name}'`,
  `export { webhookHandler } from '${name}/express'`,
  `export { webhookRoute } from '${name}/fastify'`,
  `export { webhookHandler } from '${name}/hono'`,
  `export { webhookHandler } from '${name}/next'`,
])('a bundle of %s holds nothing of the client', async (contents) => {
  const { metafile } = await build({
    ...{ stdin: { contents, resolveDir: root }, absWorkingDir: root },
    ...{ bundle: true, write: false, metafile: true, logLevel: 'silent' },
    // A bare context, as in edge runtimes: imports of Node's modules do not resolve.
    ...{ platform: 'neutral', conditions: ['workerd'], mainFields: ['module', 'main'] },
  })
  const [output] = Object.values(metafile.outputs)
  const inputs = Object.entries(output?.inputs ?? {})
  const used = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path)
  expect(used.filter((path) => !/^(dist\/|<stdin>)/.test(path))).toEqual([])
  expect(output?.bytes).toBeLessThan(20_000)
})
