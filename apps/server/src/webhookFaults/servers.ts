import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, vi } from 'vitest'
import { freePort } from '../../../../packages/testing/src/freePort.ts'

const main = fileURLToPath(new URL('../main.ts', import.meta.url))

/** One server process after another, at the same address. */
export type Server = {
  readonly url: string
  start(): Promise<void>
  kill(): Promise<void>
}

/** A server as an operator runs it, on a database of one's own. */
export async function createServerProcess(env: Record<string, string>): Promise<Server> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const environment = { HOST: '127.0.0.1', PORT: String(port), ...env }
  let child: ChildProcess | null = null
  return {
    url,
    async start() {
      const started = spawn(process.execPath, [main], { env: environment, stdio: 'pipe' })
      child = started
      let output = ''
      for (const stream of [started.stdout, started.stderr]) {
        stream?.on('data', (chunk) => {
          output += chunk
        })
      }
      await vi.waitFor(
        async () => {
          if (started.exitCode !== null) return
          expect((await fetch(`${url}/livez`)).status).toBe(200)
        },
        { timeout: 60_000, interval: 50 },
      )
      if (started.exitCode !== null) throw new Error(`the server ended: ${output}`)
    },
    async kill() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    },
  }
}
