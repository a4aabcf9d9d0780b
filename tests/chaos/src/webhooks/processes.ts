import { connect, createServer, type Socket } from 'node:net'
import { listenLocally } from '../../../support/listenLocally.ts'
import { startProcess, type TestProcess } from '../../../support/startProcess.ts'

/** Successive processes at the same address. */
export type Process = {
  readonly port: number
  /**
   * Resolves when it is up.
   *
   * @throws Error with the output, as soon as the process has ended
   */
  start(): Promise<void>
  kill(): Promise<void>
  /** @throws Error with the output, when it has ended by itself */
  expectRunning(): Promise<void>
  /** The output of all processes. */
  output(): string
}

/** A program as an operator runs it: given its `PORT`, it is up when `/livez` responds there. */
export function createProcess(file: string, port: number, env: Record<string, string>): Process {
  const started: TestProcess[] = []
  return {
    port,
    output: () => started.map((child) => child.output()).join(''),
    async start() {
      const child = startProcess(file, { env: { PORT: String(port), ...env } })
      started.push(child)
      await child.until(async () => {
        const { status } = await fetch(`http://localhost:${port}/livez`)
        if (status !== 200) throw new Error(`GET /livez returned ${status}`)
      })
    },
    async kill() {
      await started.at(-1)?.end('SIGKILL')
    },
    async expectRunning() {
      await started.at(-1)?.until(() => {})
    },
  }
}

/** One address for all processes: a connection goes to the next process that is up, and ends when that process does. */
export async function startBalancer(processes: readonly Pick<Process, 'port'>[]): Promise<{
  readonly url: string
  close(): Promise<void>
}> {
  const open = new Set<Socket>()
  let next = 0
  const forward = (from: Socket, tries: number) => {
    if (tries === 0) return void from.destroy()
    const { port = 0 } = processes[next++ % processes.length] ?? {}
    const to = connect(port, 'localhost')
    const retry = () => forward(from, tries - 1)
    to.once('error', retry)
    to.once('connect', () => {
      to.off('error', retry).on('error', () => from.destroy())
      from.pipe(to).pipe(from)
      from.once('close', () => to.destroy())
      to.once('close', () => from.destroy())
    })
  }
  const server = createServer((socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket)).on('error', () => {})
    forward(socket, processes.length)
  })
  const { url, close } = await listenLocally(server)
  return {
    url,
    async close() {
      const closed = close()
      for (const socket of open) socket.destroy()
      await closed
    },
  }
}
