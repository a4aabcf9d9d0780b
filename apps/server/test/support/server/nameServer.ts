import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'

export type NameServer = {
  readonly address: string
  /** The number of queries for a name's IPv4 address so far. */
  queryCount(name: string): number
}

/**
 * Starts a real DNS server, which runs until the test ends.
 * @param response returns the IPv4 addresses of a name, or silence. No name has an IPv6 address
 */
export async function serveNames(
  response: (name: string) => string[] | 'silence',
): Promise<NameServer> {
  const requested = new Map<string, number>()
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    const end = query.indexOf(0, 12) + 5
    const name = readName(query.subarray(12, end - 4))
    const isIpv4 = query.readUInt16BE(end - 4) === 1
    if (isIpv4) requested.set(name, (requested.get(name) ?? 0) + 1)
    const result = response(name)
    if (result === 'silence') return
    const addresses = isIpv4 ? result : []
    const header = Buffer.from(query.subarray(0, 12))
    // The flags of a response. A name exists if it has an address.
    header.writeUInt16BE(result.length > 0 ? 0x8180 : 0x8183, 2)
    header.writeUInt16BE(addresses.length, 6)
    header.writeUInt32BE(0, 8)
    const records = addresses.map((address) =>
      Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
    )
    socket.send(
      Buffer.concat([header, query.subarray(12, end), ...records]),
      from.port,
      from.address,
    )
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  onTestFinished(() => void socket.close())
  return {
    address: `127.0.0.1:${socket.address().port}`,
    queryCount: (name) => requested.get(name) ?? 0,
  }
}

/** Reads labels, each of which follows its length. */
function readName(labels: Buffer): string {
  const parts: string[] = []
  for (let at = 0; labels[at]; at += (labels[at] ?? 0) + 1) {
    parts.push(labels.toString('ascii', at + 1, at + 1 + (labels[at] ?? 0)))
  }
  return parts.join('.').toLowerCase()
}
