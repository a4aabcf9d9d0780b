import { join } from 'node:path'
import { freePort } from '../../../packages/testing/src/devChain/freePort.ts'
import { slowness } from '../../support/patience.ts'
import { startProcess, type TestProcess } from '../../support/startProcess.ts'
import { until } from '../../support/until.ts'
import { servers } from './plan.ts'

/** Server processes, each restarted whenever it ends. */
export type Servers = {
  readonly urls: readonly string[]
  /** Ends a server by SIGKILL. */
  kill(server: number): Promise<void>
  /** Resolves when all of them respond. */
  untilUp(): Promise<void>
  /** The process of that name, if it runs. */
  find(name: string): { suspend(): void; resume(): void } | null
  /** The output of all processes so far. */
  output(): string
  /** The processes that ended by themselves after their first response. */
  readonly ended: readonly string[]
  close(): Promise<void>
}

type Running = { readonly name: string; readonly process: TestProcess; isKilled: boolean }

const file = join(import.meta.dirname, '../../../apps/server/dist/server.js')

/** @param envOf the environment of the process of that name */
export async function startServers(
  envOf: (name: string) => Record<string, string>,
): Promise<Servers> {
  const running: Running[] = []
  const outputs: TestProcess[] = []
  const ended: string[] = []
  const ports = [] as number[]
  while (ports.length < servers) ports.push(await freePort())
  const urls = ports.map((port) => `http://127.0.0.1:${port}`)
  let isClosing = false

  async function keep(server: number): Promise<void> {
    for (let generation = 1; !isClosing; generation += 1) {
      const name = `server-${server}-${generation}`
      const env = { HOST: '127.0.0.1', PORT: String(ports[server]), ...envOf(name) }
      const started: Running = { name, process: startProcess(file, { env }), isKilled: false }
      running[server] = started
      outputs.push(started.process)
      const isUp = await started.process
        .until(() => expectUp(urls[server] ?? ''))
        .then(
          () => true,
          () => false,
        )
      const how = await started.process.ended
      // A server that finds no database at its start exits, and is restarted.
      if (isClosing || started.isKilled || !isUp) continue
      ended.push(`${name} ended with ${how}: ${started.process.output().slice(-2_000)}`)
    }
  }
  const supervised = urls.map((_, server) => keep(server))

  async function end(server: number): Promise<void> {
    const current = running[server]
    if (!current) return
    current.isKilled = true
    await current.process.end('SIGKILL')
  }

  const untilUp = async () =>
    void (await Promise.all(urls.map((url) => until(() => expectUp(url)))))
  async function close(): Promise<void> {
    isClosing = true
    await Promise.all(urls.map((_, server) => end(server)))
    await Promise.all(supervised)
  }
  try {
    await untilUp()
  } catch (error) {
    await close()
    throw error
  }
  return {
    ...{ urls, ended, untilUp, close, kill: end },
    find(name) {
      const current = running.find((candidate) => candidate.name === name && !candidate.isKilled)
      if (!current) return null
      const { pid } = current.process
      return {
        suspend: () => void process.kill(pid, 'SIGSTOP'),
        resume: () => void process.kill(pid, 'SIGCONT'),
      }
    },
    output: () => outputs.map((output) => output.output()).join(''),
  }
}

/** A stopped process accepts connections, but does not respond. */
const responseMs = Math.round(2_000 * slowness)

async function expectUp(url: string): Promise<void> {
  const { status } = await fetch(`${url}/livez`, { signal: AbortSignal.timeout(responseMs) })
  if (status !== 200) throw new Error(`${url}/livez returns ${status}`)
}
