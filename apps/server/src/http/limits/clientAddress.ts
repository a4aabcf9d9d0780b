import { isIP, isIPv4 } from 'node:net'
import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'

type ClientRequest = Pick<FastifyRequest, 'ip' | 'socket' | 'server' | 'log'>

const shownLength = 100
/** The servers that have reported it. */
const reported = new WeakSet<ClientRequest['server']>()

/**
 * The client that a limit by address counts: a provider's customer, who has a whole /64 of IPv6 addresses to choose
 * from. If the trusted proxy wrote no address, it is the proxy's own: a limit then counts too much, rather than
 * nothing.
 */
export function clientAddress({ ip, socket, server, log }: ClientRequest): string {
  const address = readForwardedAddress(ip)
  if (address !== null) return networkOf(address)
  // Without a socket there is no address: the client has disconnected, and the proxies are not at fault.
  if (ip !== undefined && !reported.has(server)) {
    reported.add(server)
    log.warn(
      { value: ip?.slice(0, shownLength) },
      'TRUST_PROXY: the entry of X-Forwarded-For that it trusts is no address; such clients are counted as one, by the address of the proxy',
    )
  }
  return networkOf(readForwardedAddress(socket.remoteAddress) ?? '')
}

/** An address in the forms that proxies write: alone, or with a port, with brackets, with a zone, in quotes. Null for anything else. */
export function readForwardedAddress(text: string | undefined): string | null {
  const [, bracketed, v4, plain] = forms.exec(text ?? '') ?? []
  const address = (bracketed ?? v4 ?? plain ?? '').replace(/%.*$/, '')
  return isIP(address) === 0 ? null : address
}

/** `[IPv6]` or `[IPv6]:port`, `IPv4:port`, or all of it. */
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
