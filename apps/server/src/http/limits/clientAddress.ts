import { isIP, isIPv4 } from 'node:net'
import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'

type ClientRequest = Pick<FastifyRequest, 'ip' | 'socket' | 'server' | 'log'>

const shownLength = 100
/** Each server logs the warning below once. */
const reported = new WeakSet<ClientRequest['server']>()

/**
 * The key by which a limit counts a client: an IPv4 address, or a /64 network, since a provider's customer can use all
 * IPv6 addresses of a /64. If the trusted proxy wrote no address, the key is the proxy's address: counting too much is
 * safer than counting nothing.
 */
export function clientAddress({ ip, socket, server, log }: ClientRequest): string {
  const address = readForwardedAddress(ip)
  if (address !== null) return networkOf(address)
  // A client that has disconnected has no address; the proxies are not at fault.
  if (ip !== undefined && !reported.has(server)) {
    reported.add(server)
    log.warn(
      { value: ip?.slice(0, shownLength) },
      'TRUST_PROXY: the entry of X-Forwarded-For that it trusts is no address; such clients are counted as one, by the address of the proxy',
    )
  }
  return networkOf(readForwardedAddress(socket.remoteAddress) ?? '')
}

/** Reads an address as proxies write it: alone, or with a port, brackets, a zone or quotes. null: it is no address. */
export function readForwardedAddress(text: string | undefined): string | null {
  const [, bracketed, v4, plain] = forms.exec(text ?? '') ?? []
  const address = (bracketed ?? v4 ?? plain ?? '').replace(/%.*$/, '')
  return isIP(address) === 0 ? null : address
}

/** `[IPv6]`, `[IPv6]:port`, `IPv4:port`, or a bare address. */
const forms = /^"?(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+|(.+?))"?$/

function networkOf(text: string): string {
  if (text === '' || isIPv4(text)) return text
  const address = ipaddr.process(text)
  return address instanceof ipaddr.IPv6
    ? `${address.parts
        .slice(0, 4)
        .map((part) => part.toString(16))
        .join(':')}::/64`
    : address.toString()
}
