import { once } from 'node:events'
import { createServer } from 'node:net'

/** Whether a port of 127.0.0.1 can be listened on. `0` finds a free one; the answer is the port, or `'taken'`. */
export async function freePort(port: number): Promise<number | 'taken'> {
  const server = createServer()
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return 'taken'
    throw error
  }
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : port
}
