import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest'
import { fetchPackages } from '../../../scripts/fetch/fetchPackages.ts'
import { goProgram, misspeltInGo } from './support/generated/go.ts'
import { pythonProgram } from './support/generated/python.ts'
import { run } from './support/run.ts'

const { url, apiKey } = inject('service')
const amount = 3_000_000_000
/** The result of each program. */
const expected = {
  ...{ amount_units: amount, tx_hash: null, listed: 1 },
  ...{ status: 404, error: 'not_found' },
}
/** Where Debian has the sources of Go packages; without it, Go has those of its own path. */
const debianGo = '/usr/share/gocode'

let packages: string
let document: string

beforeAll(async () => {
  packages = await fetchPackages('openapi-clients')
  document = join(await mkdtemp(join(tmpdir(), 'payment-intents-openapi-clients-')), 'openapi.json')
  await writeFile(document, await (await fetch(`${url}/openapi.json`)).text())
})

afterAll(() => rm(join(document, '..'), { recursive: true }))

test('a generated Python client creates, reads and lists an intent, and gets an error', async ({
  skip,
}) => {
  const python = await firstThatRuns(
    ['python3', '/usr/bin/python3'],
    [...['-c', 'import certifi, dateutil, six, urllib3']],
  )
  if (!python)
    return skip(missing('python3 python3-certifi python3-dateutil python3-six python3-urllib3'))
  if (!(await hasJava())) return skip(missing('default-jre-headless'))
  const folder = await generate('python')
  await run(python, ['-m', 'compileall', '-q', 'payments'], { cwd: folder })
  await writeFile(join(folder, 'program.py'), pythonProgram)
  const { stdout } = await run(python, ['program.py', url, apiKey, `${amount}`], { cwd: folder })
  const { misspelt, ...result } = JSON.parse(stdout)
  expect(result).toEqual(expected)
  expect(misspelt).toContain("unexpected keyword argument 'lanes'")
})

test('a generated Go client creates, reads and lists an intent, and gets an error', async ({
  skip,
}) => {
  const GOPATH = await mkdtemp(join(tmpdir(), 'payment-intents-openapi-go-'))
  onTestFinished(() => rm(GOPATH, { recursive: true }))
  const env = { GO111MODULE: 'off', GOPATH: `${GOPATH}:${debianGo}` }
  const hasGo = await run('go', ['list', 'golang.org/x/oauth2'], { env }).catch(() => undefined)
  if (!hasGo) return skip(missing('golang-go golang-golang-x-oauth2-dev'))
  if (!(await firstThatRuns(['goimports'], ['/dev/null'])))
    return skip(missing('golang-golang-x-tools'))
  if (!(await hasJava())) return skip(missing('default-jre-headless'))
  // The generator's own step after it: some of its files import what they do not use.
  const post = ['--enable-post-process-file']
  const folder = await generate('go-experimental', post, { GO_POST_PROCESS_FILE: 'goimports -w' })
  const library = join(GOPATH, 'src/payments')
  await mkdir(library, { recursive: true })
  const sources = (await readdir(folder)).filter((name) => name.endsWith('.go'))
  await Promise.all(sources.map((name) => cp(join(folder, name), join(library, name))))
  const build = async (name: string, source: string) => {
    const cwd = join(GOPATH, 'src', name)
    await mkdir(cwd)
    await writeFile(join(cwd, 'main.go'), source)
    await run('go', ['build', '-o', 'program', '.'], { cwd, env })
    return join(cwd, 'program')
  }
  const program = await build('program', goProgram)
  const { stdout } = await run(program, [url, apiKey, `${amount}`])
  expect(JSON.parse(stdout)).toEqual(expected)
  await expect(build('misspelt', misspeltInGo)).rejects.toThrow(/unknown field '?Lanes'?/)
})

test('a generated TypeScript client type-checks, and knows no misspelt property', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'payment-intents-openapi-ts-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const modules = join(packages, 'node_modules')
  await symlink(modules, join(folder, 'node_modules'))
  const generator = join(modules, '@hey-api/openapi-ts/bin/run.js')
  await run(process.execPath, [generator, '-i', document, '-o', 'client'], { cwd: folder })
  await writeFile(
    join(folder, 'program.ts'),
    `import { createPaymentIntent } from './client'
createPaymentIntent({ body: { amount_units: 1, lane: 'sdk' } })
// @ts-expect-error The service knows no such property.
createPaymentIntent({ body: { amount_units: 1, lanes: 'sdk' } })
`,
  )
  const options = ['--strict', '--noEmit', '--skipLibCheck', '--target', 'es2022']
  const resolution = ['--module', 'esnext', '--moduleResolution', 'bundler']
  const tsc = join(modules, 'typescript/bin/tsc')
  const args = [tsc, ...options, ...resolution, 'program.ts']
  await run(process.execPath, args, { cwd: folder })
})

/** Generates a client with the OpenAPI Generator that npm has whole, from the document as OpenAPI 3.0, which is what it reads. */
async function generate(
  language: string,
  options: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'payment-intents-openapi-client-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const older = join(folder, 'openapi-3.0.json')
  const modules = join(packages, 'node_modules')
  const convert = join(modules, '@apiture/openapi-down-convert/lib/src/cli.js')
  await run(process.execPath, [convert, '--input', document, '--output', older])
  const jar = join(modules, '@openapitools/openapi-generator-cli/bin/openapi-generator.jar')
  const args = ['-i', older, '-g', language, '-o', folder, '--package-name', 'payments']
  await run('java', ['-jar', jar, 'generate', ...args, ...options], { env })
  return folder
}

function hasJava(): Promise<string | undefined> {
  return firstThatRuns(['java'], ['-version'])
}

async function firstThatRuns(
  files: readonly string[],
  args: readonly string[],
): Promise<string | undefined> {
  for (const file of files) {
    const isThere = await run(file, args).then(
      () => true,
      () => false,
    )
    if (isThere) return file
  }
  return undefined
}

/** The reason of a skip, printed because not every reporter does. @param debian packages of Debian */
function missing(debian: string): string {
  const reason = `it needs what these packages of Debian have: ${debian}`
  console.warn(`SKIPPED: ${reason}`)
  return reason
}
