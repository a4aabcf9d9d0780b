import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import type { AddressInfo, Server } from 'node:net'

export type Listening = {
  readonly port: number
  readonly url: string
  /** Ends the connections of an HTTP server, too. */
  close(): Promise<void>
}

/** Has a server take connections of this machine alone, on a free port by default. */
export async function listenLocally(server: Server | HttpServer, onPort = 0): Promise<Listening> {
  await once(server.listen(onPort, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      if ('closeAllConnections' in server) server.closeAllConnections()
      return closed
    },
  }
}
