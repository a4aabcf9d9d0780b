import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Whether a port of 127.0.0.1 can be listened on. */
export async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false
    throw error
  }
  server.close()
  await once(server, 'close')
  return true
}

/**
 * A free port of 127.0.0.1 for a process that is about to start. It is below the ephemeral range (from 32,768 on Linux,
 * from 49,152 elsewhere), so that no connection takes it in the meantime.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    // Not Math.random, which tests mock: two of them would choose the same port.
    const port = randomInt(10_000, 30_000)
    if (await isFree(port)) return port
  }
}
