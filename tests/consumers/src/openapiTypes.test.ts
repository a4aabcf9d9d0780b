import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { fetchPackages } from '../../../scripts/fetch/fetchPackages.ts'
import { compile } from './support/compile.ts'
import { run } from './support/run.ts'

const service = inject('service')

/** In a file, since the older compiler takes no empty list as an argument. */
const compilerOptions = {
  ...{ strict: true, target: 'es2022', module: 'nodenext', types: [] },
  ...{ skipLibCheck: true, rewriteRelativeImportExtensions: true },
}

const program = `
import createFetchClient from 'openapi-fetch'
import type { components, paths, webhooks } from './schema.d.ts'

const headers = { authorization: 'Bearer ${service.apiKey}' }
const client = createFetchClient<paths>({ baseUrl: '${service.url}', headers })
// More than 32 bits hold.
const body = { amount_units: 3_000_000_000, chain: 'base', metadata: { order: '1' } } as const
const created = await client.POST('/v1/payment_intents', {
  params: { header: { 'Idempotency-Key': 'generated' } },
  body,
})
if (!created.data) throw new Error(created.error.error + ': ' + created.error.message)
const { id } = created.data
const read = await client.GET('/v1/payment_intents/{id}', { params: { path: { id } } })
if (!read.data) throw new Error(read.error.message)
const hash: string | null = read.data.tx_hash
const list = await client.GET('/v1/payment_intents', { params: { query: { limit: 1 } } })
console.log(JSON.stringify([read.data.amount_units, hash, list.data?.data.length]))

// @ts-expect-error Amounts are integers of the smallest unit, not text.
client.POST('/v1/payment_intents', { body: { amount_units: '25.00' } })
// openapi-fetch infers the type of a body, so that a misspelt property passes unless the body names its type.
// @ts-expect-error The service knows no such property.
export const misspelt: components['schemas']['CreatePaymentIntent'] = { amount_units: 1, lanes: 'sdk' }

type Succeeded =
  webhooks['payment_intent.succeeded']['post']['requestBody']['content']['application/json']
export function amountOf(event: Succeeded): number {
  const type: 'payment_intent.succeeded' = event.type
  const paid: components['schemas']['RetrievedPaymentIntent'] = event.data.object
  return type.length + paid.amount_received_units
}
`

test('a client that is generated from the document creates and reads an intent of 3,000 USDC', async () => {
  const packages = await fetchPackages('openapi')
  const cwd = await temporaryFolder()
  await symlink(join(packages, 'node_modules'), join(cwd, 'node_modules'))
  await writeFile(join(cwd, 'openapi.json'), await openapiDocument())
  await writeFile(join(cwd, 'package.json'), '{ "type": "module" }')
  await writeFile(join(cwd, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  await writeFile(join(cwd, 'program.ts'), program)
  const generator = join(packages, 'node_modules/openapi-typescript/bin/cli.js')
  await run(process.execPath, [generator, 'openapi.json', '--output', 'schema.d.ts'], { cwd })
  await compile(cwd, '-p', '.')
  const { stdout } = await run(process.execPath, ['program.js'], { cwd })
  expect(JSON.parse(stdout)).toEqual([3_000_000_000, null, 1])
})

test('Redocly finds no fault in the document', async () => {
  const packages = await fetchPackages('openapi')
  const cwd = await temporaryFolder()
  await writeFile(join(cwd, 'openapi.json'), await openapiDocument())
  const redocly = join(packages, 'node_modules/@redocly/cli/bin/cli.js')
  const env = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  // The tested service is a local server.
  const rules = ['--skip-rule', 'no-server-example.com']
  const args = [redocly, 'lint', 'openapi.json', '--format', 'json', ...rules]
  const { stdout } = await run(process.execPath, args, { cwd, env })
  expect(JSON.parse(stdout).problems).toEqual([])
})

async function openapiDocument(): Promise<string> {
  return (await fetch(`${service.url}/openapi.json`)).text()
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'payment-intents-openapi-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}
