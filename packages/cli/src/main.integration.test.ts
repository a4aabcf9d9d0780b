import { execFile, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify, stripVTControlCharacters } from 'node:util'
import { verifyWebhook } from '@payment-intents/node'
import { describe, expect, onTestFinished, test } from 'vitest'
import { newFolder } from '../../../tests/support/newFolder.ts'
import { dataUrls, pictures } from '../../../tests/support/pictures/testPictures.ts'
import { followProcess } from '../../../tests/support/startProcess.ts'
import { until } from '../../../tests/support/until.ts'
import { apiKey, json, serve, text } from '../../node/test/stubServer.ts'
import { eventId, link, received, serveEvents, testEvent } from '../test/cliSupport.ts'

// The built file that the package's `bin` names.
const root = join(import.meta.dirname, '..')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const cli = join(root, manifest.bin['payment-intents'])

type Env = Record<string, string | undefined>

function environment(env: Env): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, PAYMENT_INTENTS_API_KEY: apiKey, TERM: 'xterm', ...env }
}

async function run(args: string[], env: Env = {}) {
  const ran = promisify(execFile)(process.execPath, [cli, ...args], { env: environment(env) })
  const { code = 0, stdout, stderr } = await ran.catch((error) => error)
  return { code, stdout, stderr }
}

/** Runs the command in its own process until the test ends. */
function start(args: string[], env: Env, onTerminal = false) {
  const words = [process.execPath, cli, 'listen', ...args]
  const [command = '', ...rest] = onTerminal
    ? ['script', '--quiet', '--return', '--command', words.join(' '), '/dev/null']
    : words
  const child = spawn(command, rest, { env: environment(env), stdio: 'pipe' })
  onTestFinished(() => void child.kill('SIGKILL'))
  return { ...followProcess(child, 'listen'), child }
}

test('--help and --version', async () => {
  const help = await run(['--help'])
  expect(help).toMatchObject({ code: 0, stderr: '' })
  for (const flag of ['--forward-to', '--events', '--since', '--base-url', '--live', '--format']) {
    expect(help.stdout).toContain(flag)
  }
  expect(await run(['--version'])).toMatchObject({ code: 0, stdout: `${manifest.version}\n` })
})

test.each([
  [
    ['listen', '--nope'],
    {},
    /^Unknown option `--nope`\. Known are .*\.\nMore: payment-intents --help\n$/,
  ],
  [['listen', `--api-key=${apiKey}`], {}, /^--api-key is not a flag/],
  [['listen'], { PAYMENT_INTENTS_API_KEY: '' }, /^The API key is missing/],
  [['listen', '--base-url', 'x'], { PAYMENT_INTENTS_API_KEY: 'whsec_x' }, /^Not an API key/],
  [['listen', '--base-url', 'ftp://localhost'], {}, /^baseUrl must be an http or https address/],
])('a wrong command line is reported and exits with 2: %j', async (args, env, sentence) => {
  const { code, stdout, stderr } = await run(args, env as Env)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(sentence)
  expect(stderr).not.toContain(apiKey)
})

test('a refused key is reported and exits with 1', async () => {
  const { url } = await serve(json(401, { error: 'api_key_invalid' }))
  const { code, stderr } = await run(['listen', '--base-url', url])
  expect(code).toBe(1)
  expect(stderr).toMatch(/^401 api_key_invalid: /)
  expect(stderr).not.toContain(apiKey)
})

test('text of the service cannot control the terminal', async () => {
  const { url } = await serve(
    json(401, { error: 'api_key_invalid', message: 'a\x1b[2J\x1b]0;b\x07' }),
  )
  const { code, stderr } = await run(['listen', '--base-url', url])
  expect(code).toBe(1)
  expect(stderr).toMatch(/^401 api_key_invalid: a/)
  expect(stderr.trimEnd()).not.toMatch(/\p{Cc}/u)
})

test('events are shown and posted, signed with the secret that is printed once', async () => {
  const service = await serveEvents()
  const receiver = await serve(received)
  const env = { PAYMENT_INTENTS_BASE_URL: service.url }
  const { child, ended, output, prints } = start(['--forward-to', `${receiver.url}/hooks`], env)
  await prints(/It is not shown again\./)
  const { stdout } = await run(['listen', '--print-secret'])
  const secret = stdout.trim()
  service.events.push(testEvent(1))
  await prints(/→ 200 in \d+ ms/)
  const { body = '', headers = {} } = receiver.requests[0] ?? {}
  expect(await verifyWebhook(body, headers, secret)).toEqual(testEvent(1))

  child.kill('SIGINT')
  expect(await ended).toBe(0)
  expect(output().split(secret)).toHaveLength(2)
  expect(output()).not.toContain(apiKey)
  expect(output()).not.toContain('\x1b')
  expect(output()).toContain(`  payment_intent.succeeded  pi_01  `)
  expect(output()).toMatch(new RegExp(`--since ${eventId(1)}\n$`))
})

test('--env sets variables that are not set', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'payment-intents-env-file-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, '.env')
  await writeFile(file, `# Mine.\nPAYMENT_INTENTS_API_KEY=${apiKey}\n`)
  const printed = await run(['listen', '--print-secret'])
  const args = ['listen', '--print-secret', '--env', file]
  expect(await run(args, { PAYMENT_INTENTS_API_KEY: undefined })).toEqual(printed)
  const other = `${apiKey.slice(0, -1)}0`
  expect((await run(args, { PAYMENT_INTENTS_API_KEY: other })).stdout).not.toBe(printed.stdout)
  expect(await run(['listen', '--env', folder])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^--env must be a file that can be read, like \.env\.\n/),
  })
})

test('link create sends the picture of a file', async () => {
  const file = join(newFolder(), 'lesson.jpg')
  await writeFile(file, Buffer.from(pictures.jpeg, 'base64'))
  const service = await serve(json(200, link))
  const create = ['link', 'create', '--amount', '40', '--description', 'Lesson']
  const args = [...create, '--picture', file, '--base-url', service.url]
  expect(await run(args)).toEqual({ code: 0, stdout: `${link.url}\n`, stderr: '' })
  expect(JSON.parse(service.requests[0]?.body ?? '')).toMatchObject({ picture: dataUrls.jpeg })
})

test('--format json gives one object a line', async () => {
  const service = await serveEvents()
  const receiver = await serve(received)
  const args = ['--format', 'json', '-f', receiver.url, '--base-url', service.url]
  const { child, ended, output, prints } = start(args, {})
  await prints(/"ready"/)
  service.events.push(testEvent(1))
  await prints(/"delivery"/)
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
  const lines = output().trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      kind: 'ready',
      base_url: service.url,
      forward_to: `${receiver.url}/`,
      secret: expect.stringMatching(/^whsec_/),
    },
    { kind: 'event', event: testEvent(1) },
    { kind: 'delivery', event: eventId(1), attempt: 1, status: 200, problem: null },
    { kind: 'stopped', last_event: eventId(1) },
  ])
})

test('trigger posts a made-up event with the handler’s secret, and its exit code tells the outcome', async () => {
  const receiver = await serve(received, text(400, 'no order'))
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const env = { PAYMENT_INTENTS_API_KEY: '', PAYMENT_INTENTS_WEBHOOK_SECRET: secret }
  const args = [
    'trigger',
    'payment_intent.succeeded',
    '-f',
    `127.0.0.1:${new URL(receiver.url).port}`,
  ]
  const accepted = await run([...args, '--add', 'metadata.order_id=1042'], env)
  expect(accepted).toMatchObject({ code: 0, stderr: '' })
  expect(accepted.stdout).toMatch(
    /payment_intent\.succeeded .* 25\.00 USDC {2}order 1042 .*\n.*→ 200 in/,
  )
  const { body = '', headers = {} } = receiver.requests[0] ?? {}
  expect(await verifyWebhook(body, headers, secret)).toMatchObject({ mode: 'testnet' })
  const refused = await run(args, env)
  expect(refused.code).toBe(1)
  expect(refused.stdout).toMatch(/→ 400 in \d+ ms: no order; not tried again/)
})

test('Ctrl-C ends it at once while the service and the handler hang', async () => {
  const service = await serveEvents()
  const silent = await serve(() => {})
  const { child, ended, prints } = start(['-f', silent.url, '--base-url', service.url], {})
  await prints(/It is not shown again\./)
  service.events.push(testEvent(1))
  await until(() => expect(silent.requests).toHaveLength(1))
  service.setReply(() => {})
  child.kill('SIGINT')
  expect(await ended).toBe(0)
  await silent.requests[0]?.closed
})

test('it ends when its stdout is closed', async () => {
  const service = await serveEvents()
  const { child, ended, prints } = start(['--base-url', service.url], {})
  await prints(/Listening/)
  child.stdout.destroy()
  service.events.push(testEvent(1))
  expect(await ended).toBe(0)
})

// On other systems `script` takes other arguments.
describe.runIf(process.platform === 'linux')('on a terminal', () => {
  test('there are colours; r sends the last event again, q quits', async () => {
    const service = await serveEvents()
    const receiver = await serve(received)
    const args = ['-f', receiver.url, '--base-url', service.url]
    const { child, ended, output, prints } = start(args, {}, true)
    await prints(/q quits/)
    service.events.push(testEvent(1))
    await prints(/→ 200/)
    child.stdin.write('r')
    await prints(/→ 200.*→ 200/s)
    child.stdin.write('q')
    expect(await ended).toBe(0)
    expect(receiver.requests.map(({ headers }) => headers['webhook-id'])).toEqual([
      ...[eventId(1), eventId(1)],
    ])
    expect(stripVTControlCharacters(output())).not.toBe(output())
  })

  test('NO_COLOR disables colours; Ctrl-C quits', async () => {
    const service = await serveEvents([testEvent(1)])
    const args = ['--base-url', service.url, '--since', eventId(0)]
    const { child, ended, output, prints } = start(args, { NO_COLOR: '1' }, true)
    await prints(new RegExp(eventId(1)))
    child.stdin.write('\x03')
    expect(await ended).toBe(0)
    expect(stripVTControlCharacters(output())).toBe(output())
  })
})
