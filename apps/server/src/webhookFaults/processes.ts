import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { expect, vi } from 'vitest'

/** One process after another, at the same address. */
export type Process = {
  readonly port: number
  start(): Promise<void>
  kill(): Promise<void>
  /** What all of them have printed. */
  readonly output: () => string
}

/** A program as an operator runs it: told its `PORT`, it is up when `/livez` answers there. */
export function createProcess(file: string, port: number, env: Record<string, string>): Process {
  let output = ''
  let child: ChildProcess | null = null
  return {
    port,
    output: () => output,
    async start() {
      const started = spawn(process.execPath, [file], {
        env: { PORT: String(port), ...env },
        stdio: 'pipe',
      })
      child = started
      for (const stream of [started.stdout, started.stderr]) {
        stream?.on('data', (chunk) => {
          output += chunk
        })
      }
      await vi.waitFor(
        async () => {
          if (started.exitCode !== null || started.signalCode !== null) return
          expect((await fetch(`http://localhost:${port}/livez`)).status).toBe(200)
        },
        { timeout: 60_000, interval: 50 },
      )
      if (started.exitCode !== null) throw new Error(`${file} ended: ${output}`)
    },
    async kill() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return
      const closed = once(child, 'close')
      child.kill('SIGKILL')
      await closed
    },
  }
}

/** One address for all of them: a connection goes to the next that is up, and ends when that one does. */
export async function startBalancer(processes: readonly Process[]): Promise<{
  readonly url: string
  close(): Promise<void>
}> {
  const open = new Set<Socket>()
  let turn = 0
  const forward = (from: Socket, tries: number) => {
    if (tries === 0) return void from.destroy()
    const { port = 0 } = processes[turn++ % processes.length] ?? {}
    const to = connect(port, 'localhost')
    const next = () => forward(from, tries - 1)
    to.once('error', next)
    to.once('connect', () => {
      to.off('error', next).on('error', () => from.destroy())
      from.pipe(to).pipe(from)
      from.once('close', () => to.destroy())
      to.once('close', () => from.destroy())
    })
  }
  const server: Server = createServer((socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket)).on('error', () => {})
    forward(socket, processes.length)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    async close() {
      const closed = once(server.close(), 'close')
      for (const socket of open) socket.destroy()
      await closed
    },
  }
}
