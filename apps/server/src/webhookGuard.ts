import { lookup as systemLookup } from 'node:dns'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Address = { address: string; family: number }
type LookupCallback = (error: Error | null, addresses: Address[]) => void
/** `dns.lookup` that is asked for all addresses. */
export type LookupAll = (hostname: string, options: { all: true }, callback: LookupCallback) => void

/** A target that is not on the public internet. */
export class RefusedTarget extends Error {}

/** Which targets may be posted to, and how their names are resolved. */
export type Guard = {
  /** Throws {@link RefusedTarget} when the host of a URL is itself an address that is refused. */
  checkHost(hostname: string): void
  /**
   * Resolves a name for one connection, which then goes to what was checked here: a name that answers otherwise the
   * next time (DNS rebinding) has been resolved for nothing. Refused as soon as one of its addresses is.
   */
  lookup(hostname: string, options: object, callback: (...args: never[]) => void): void
}

/**
 * Keeps webhooks on the public internet: what runs beside this server, in its network or in its cloud's metadata
 * service, is not for merchants to post to (SSRF).
 *
 * @param options.allowPrivate for development, where the receiver runs on the same machine
 */
export function createGuard(options: {
  allowPrivate: boolean
  lookup?: LookupAll
  isPublic?: (address: string) => boolean
}): Guard {
  const { allowPrivate, lookup = systemLookup as LookupAll, isPublic = isUnicast } = options
  const refuses = (address: string) => !allowPrivate && !isPublic(address)
  return {
    checkHost(hostname) {
      const address = hostname.replace(/^\[|\]$/g, '')
      if (isIP(address) && refuses(address)) throw refused(hostname)
    },
    lookup(hostname, _options, callback) {
      const done = callback as unknown as LookupCallback
      lookup(hostname, { all: true }, (error, addresses) => {
        if (error) return done(error, [])
        if (addresses.some(({ address }) => refuses(address))) return done(refused(hostname), [])
        done(null, addresses)
      })
    },
  }
}

const globalIpv6 = ipaddr.IPv6.parseCIDR('2000::/3')

/** Whether an address is anyone's on the internet: `unicast` is what no registry has set aside. */
function isUnicast(address: string): boolean {
  // The address that an IPv6 one stands for counts.
  const meant = ipaddr.process(address)
  if (meant.range() !== 'unicast') return false
  // All that was ever given out (RFC 4291, 2.4); the rest is a network's own translation or a relic.
  return meant instanceof ipaddr.IPv4 || meant.match(globalIpv6)
}

function refused(hostname: string): RefusedTarget {
  return new RefusedTarget(`${hostname} is not on the public internet.`)
}
