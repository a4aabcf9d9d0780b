import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { setVariables } from '../config.ts'

const deploy = new URL('../../../../deploy/', import.meta.url)

/** Every variable that the server reads: each of this environment is set. */
const variables = setVariables(new Proxy({}, { get: () => 'set' }))

/** The lines of a service of the compose file. */
async function service(name: string): Promise<string> {
  const text = await readFile(new URL('compose.yaml', deploy), 'utf8')
  return new RegExp(`^  ${name}:\\n((?: {4}.*\\n|\\s*#.*\\n)+)`, 'm').exec(text)?.[1] ?? ''
}

test('every variable that the server reads reaches the container, except the container’s own', async () => {
  const server = await service('server')
  const hasEnvFile = /^ {4}env_file: \.env$/m.test(server)
  const set = [...server.matchAll(/^ {6}([A-Z_]+): (.*)$/gm)]
    // The build's own.
    .filter(([, name]) => name !== 'VERSION')
    .map(([, name, value]) => [name, value] as const)
  const overridden = set.filter(([name, value]) => !value?.startsWith(`\${${name}`))
  expect(variables).toContain('SERVER_SECRET_PREVIOUS')
  const reaching = variables.filter(
    (name) => hasEnvFile && !overridden.some(([other]) => other === name),
  )
  const setByCompose = ['DATABASE_URL', 'HOST']
  expect(reaching.toSorted()).toEqual(
    variables.filter((name) => !setByCompose.includes(name)).toSorted(),
  )
  expect(server).toMatch(/"127\.0\.0\.1:\$\{PORT:-4242\}:\$\{PORT:-4242\}"/)
})

test('the example of its file names variables of the server, and those that compose itself needs', async () => {
  const example = await readFile(new URL('.env.example', deploy), 'utf8')
  const names = [...example.matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name)
  const unknown = names.filter((name) => !variables.includes(name ?? ''))
  expect(unknown).toEqual(['POSTGRES_PASSWORD'])
})
