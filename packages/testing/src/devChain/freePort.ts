import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
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
 * from 49,152 elsewhere), so that no connection takes it in the meantime, and this function gives it to no other
 * process until this process ends.
 */
export async function freePort(draw = randomPort): Promise<number> {
  for (;;) {
    const port = draw()
    if (port === refusedByFetch) continue
    if ((await reserve(port)) && (await isFree(port))) return port
  }
}

/** The only port of the range that `fetch` refuses, as browsers do (Fetch, "port blocking"). */
const refusedByFetch = 10_080

// Not Math.random, which tests mock.
const randomPort = () => randomInt(10_000, 30_000)

/** Holds the UDP port of the same number, which the kernel gives to one process and takes back when that ends. */
async function reserve(port: number): Promise<boolean> {
  const socket = createSocket('udp4').unref()
  socket.bind({ port, address: '127.0.0.1', exclusive: true })
  try {
    await once(socket, 'listening')
    return true
  } catch (error) {
    socket.close()
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false
    throw error
  }
}
