import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { fileURLToPath } from 'node:url'

/** Runs a file that calls `serveParent`, in a process of its own so that its work is not counted. */
export async function startChild(file: URL): Promise<{ child: ChildProcess; url: string }> {
  const child = fork(fileURLToPath(file))
  const [port] = (await once(child, 'message')) as [number]
  return { child, url: `http://127.0.0.1:${port}` }
}

/** Listens on a free port, which it sends to the parent, and exits with it. */
export function serveParent(server: Server): void {
  // So that no connection is made anew within a measurement.
  server.keepAliveTimeout = 0
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    process.send?.(typeof address === 'object' && address ? address.port : 0)
  })
  process.on('disconnect', () => process.exit())
}
