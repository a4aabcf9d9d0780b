#!/usr/bin/env node
import { once, setMaxListeners } from 'node:events'
import { inspect } from 'node:util'
import { type Client, createClient, isPaymentIntentsError } from '@payment-intents/node'
import { runEvents } from './events/runEvents.ts'
import { find } from './find/find.ts'
import { hasResults, resultAsJson, resultAsText } from './find/resultAsText.ts'
import { listenToKeys } from './keys.ts'
import { runLink } from './link/runLink.ts'
import { listen, usualPace } from './listen/listen.ts'
import type { News, Signing } from './listen/news.ts'
import { localSecret } from './localSecret.ts'
import { asJson, jsonLine } from './output/asJson.ts'
import { asText } from './output/asText.ts'
import { plain } from './output/plain.ts'
import {
  type ExportOptions,
  type FindOptions,
  type ListenOptions,
  readCommand,
} from './readCommand.ts'
import type { TriggerOptions } from './trigger/readTrigger.ts'
import { trigger } from './trigger/trigger.ts'
import { usage } from './usage.ts'
import { userAgent, version } from './version.ts'

const { env, stdin, stdout } = process
const usageErrorCode = 2
const noResults = 3

/** @returns the exit code */
async function main(): Promise<number> {
  const command = readCommand(process.argv.slice(2), env, (path) => process.loadEnvFile(path))
  switch (command.type) {
    case 'help':
      return print(usage)
    case 'version':
      return print(version)
    case 'print_secret':
      return print(localSecret(command.apiKey))
    case 'wrong':
      console.error(`${command.message}\nMore: payment-intents --help`)
      return usageErrorCode
    case 'listen':
      return runListen(command.options)
    case 'trigger':
      return runTrigger(command.options)
    case 'find':
      return withClient(command.options, (client) => runFind(client, command.options))
    case 'export':
      return withClient(command.options, (client) => runExport(client, command.options))
    case 'link':
      return withClient(command.options, (client) =>
        printAll(runLink(client, command.options.command)),
      )
    case 'events': {
      const { options } = command
      const colors = stdout.isTTY && !env.NO_COLOR
      return withClient(options, (client) => printAll(runEvents(client, options.command, colors)))
    }
  }
}

async function runFind(client: Client, { text, key, format }: FindOptions): Promise<number> {
  const result = await find(client, text, key)
  const hasResult = hasResults(result)
  if (format === 'json') print(jsonLine(resultAsJson(result)))
  else if (hasResult) print(resultAsText(result))
  else console.error(resultAsText(result))
  return hasResult ? 0 : noResults
}

async function printAll(lines: AsyncIterable<string>): Promise<number> {
  for await (const line of lines) {
    if (!stdout.write(`${line}\n`)) await once(stdout, 'drain')
  }
  return 0
}

async function runExport(client: Client, { what, from, to }: ExportOptions): Promise<number> {
  const period = { created_after: from, created_before: to }
  for await (const text of client.exports.csv({ what, ...period })) {
    if (!stdout.write(text)) await once(stdout, 'drain')
  }
  return 0
}

/** Runs an action with a client, and reports the service's errors. */
async function withClient(
  { apiKey, baseUrl }: { apiKey: string; baseUrl: string },
  work: (client: Client) => Promise<number>,
): Promise<number> {
  const client = createClientOrExplain({ apiKey, baseUrl })
  if (!client) return usageErrorCode
  try {
    return await work(client)
  } catch (error) {
    if (!isPaymentIntentsError(error)) throw error
    console.error(plain(error.message))
    return 1
  }
}

async function runListen(options: ListenOptions): Promise<number> {
  const { apiKey, baseUrl, forwardTo, types, since, format } = options
  const client = createClientOrExplain({ apiKey, baseUrl })
  if (!client) return usageErrorCode
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  // `once`: a second signal ends the process by default.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop)
  // Every pending delivery adds a listener.
  setMaxListeners(0, stopping.signal)

  const keys = stdout.isTTY && stdin.isTTY
  const show = printer(format, keys)
  const forwarding = forwardTo && { to: forwardTo, ...signing(apiKey) }
  const { redeliver, done } = listen({
    ...{ client, baseUrl, apiKey, forwarding, types, since, show },
    ...{ pace: usualPace, signal: stopping.signal },
  })
  if (keys) listenToKeys(stdin, { redeliver, quit: stop })
  try {
    await done
    return 0
  } catch (error) {
    if (!isPaymentIntentsError(error)) throw error
    console.error(plain(error.message))
    return 1
  }
}

async function runTrigger({ format, ...options }: TriggerOptions): Promise<number> {
  const secret = options.secret ?? localSecret(options.apiKey)
  const { signal } = new AbortController()
  return (await trigger({ ...options, secret, show: printer(format, false), signal })) ? 0 : 1
}

function printer(format: 'text' | 'json', keys: boolean): (news: News) => void {
  const look = { keys, colors: stdout.isTTY && !env.NO_COLOR }
  return (news) => {
    const text = format === 'json' ? asJson(news) : asText(news, look)
    if (text !== '') print(text)
  }
}

function signing(apiKey: string): Signing {
  const secret = localSecret(apiKey)
  const endpointSecret = env.PAYMENT_INTENTS_WEBHOOK_SECRET
  return {
    secret,
    environment: !endpointSecret ? 'unset' : endpointSecret === secret ? 'same' : 'other',
  }
}

function createClientOrExplain(options: { apiKey: string; baseUrl: string }) {
  try {
    return createClient({ ...options, headers: { 'user-agent': userAgent } })
  } catch (error) {
    if (!isPaymentIntentsError(error)) throw error
    console.error(plain(error.message))
    return undefined
  }
}

function print(text: string): 0 {
  stdout.write(`${text}\n`)
  return 0
}

/** Exits once stdout is flushed, even if other work is pending. */
function end(code: number): void {
  process.exitCode = code
  stdout.write('', () => process.exit())
}

// The reader has closed the pipe: `listen | head`.
stdout.on('error', () => process.exit())

main().then(end, (error) => {
  console.error(inspect(error).split('\n').map(plain).join('\n'))
  end(1)
})
