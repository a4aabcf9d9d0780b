import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { type Address, createNames, type Names } from './names.ts'

type LookupCallback = (error: Error | null, addresses: Address[]) => void

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
  names?: Names
  isPublic?: (address: string) => boolean
}): Guard {
  const { allowPrivate, names = createNames(), isPublic = isUnicast } = options
  const refuses = (address: string) => !allowPrivate && !isPublic(address)
  return {
    checkHost(hostname) {
      const address = hostname.replace(/^\[|\]$/g, '')
      if (isIP(address) && refuses(address)) throw refused(hostname)
    },
    lookup(hostname, _options, callback) {
      const done = callback as unknown as LookupCallback
      names(hostname).then(
        (addresses) => {
          if (addresses.some(({ address }) => refuses(address))) done(refused(hostname), [])
          else done(null, addresses)
        },
        (error) => done(error, []),
      )
    },
  }
}

const globalIpv6 = ipaddr.IPv6.parseCIDR('2000::/3')
/** Looks like anyone's, but inside a cloud leads to the cloud's own services: Azure's wire server; IBM's two networks. */
const cloudServices = ['168.63.129.16/32', '161.26.0.0/16', '166.8.0.0/14'].map((network) =>
  ipaddr.IPv4.parseCIDR(network),
)

/** Whether an address is anyone's on the internet: `unicast` is what no registry has set aside. */
function isUnicast(address: string): boolean {
  // Of an IPv6 address that embeds an IPv4 one, the latter counts.
  const meant = ipaddr.process(address)
  if (meant.range() !== 'unicast') return false
  if (meant instanceof ipaddr.IPv4) return !cloudServices.some((network) => meant.match(network))
  // All that was ever given out (RFC 4291, 2.4); the rest is a network's own translation or a relic.
  return meant.match(globalIpv6)
}

function refused(hostname: string): RefusedTarget {
  return new RefusedTarget(`${hostname} is not on the public internet.`)
}
