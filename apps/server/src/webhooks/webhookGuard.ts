import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { type Address, createDnsResolver, type DnsResolver } from '../lib/dnsResolver.ts'
import { canonical, type WebhookTarget } from '../lib/webhookTargets.ts'

type Network = ReturnType<typeof ipaddr.parseCIDR>
type LookupCallback = (error: Error | null, addresses: Address[]) => void

/** The target is neither on the public internet nor allowed. */
export class RefusedTarget extends Error {}

/** Decides to which targets webhooks may go, and resolves their names. */
export type Guard = {
  /** @throws {RefusedTarget} if the host of the URL is an address that is refused */
  checkHost(url: URL): void
  /** Whether the URL itself names a host that the operator allows. Such a host is in the operator's own network. */
  isAllowedByName(url: URL): boolean
  /**
   * Resolves a name for a connection to this port. The connection goes to an address that was checked here, so a name
   * that resolves differently the next time (DNS rebinding) gains nothing. Refuses a name if any of its addresses is
   * refused.
   */
  lookup(
    port: number,
  ): (hostname: string, options: object, callback: (...args: never[]) => void) => void
}

/**
 * Keeps webhooks on the public internet, so that merchants reach no service of this machine, of its network or of its
 * cloud, such as the metadata service (SSRF).
 * @param options.allowPrivate allows any address, for development with a receiver on the same machine
 * @param options.allowed the hosts in the operator's own networks that merchants may post to
 */
export function createGuard(options: {
  allowPrivate: boolean
  allowed?: readonly WebhookTarget[]
  names?: DnsResolver
  isPublic?: (address: string) => boolean
}): Guard {
  const { allowPrivate, allowed = [], names = createDnsResolver(), isPublic = isUnicast } = options
  const refuses = (address: string, hostname: string, port: number) =>
    !allowPrivate &&
    !isPublic(address) &&
    !allowed.some((target) => target.ports.includes(port) && covers(target, hostname, address))
  return {
    checkHost(url) {
      const address = bare(url.hostname)
      if (isIP(address) && refuses(address, address, portOf(url))) throw refused(url.hostname)
    },
    isAllowedByName(url) {
      const hostname = bare(url.hostname)
      return allowed.some(({ host, ports }) => {
        if (!ports.includes(portOf(url))) return false
        if (host.type === 'name') return host.name === canonical(hostname)
        return isIP(hostname) !== 0 && isWithin(hostname, host.network)
      })
    },
    lookup: (port) => (hostname, _options, callback) => {
      const done = callback as unknown as LookupCallback
      names(hostname).then(
        (addresses) => {
          const isRefused = addresses.some(({ address }) => refuses(address, hostname, port))
          if (isRefused) done(refused(hostname), [])
          else done(null, addresses)
        },
        (error) => done(error, []),
      )
    },
  }
}

export function portOf(url: URL): number {
  return Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
}

function covers({ host }: WebhookTarget, hostname: string, address: string): boolean {
  if (host.type === 'name') return host.name === canonical(hostname) && isPrivateNetwork(address)
  const [network, bits] = host.network
  const isSingleAddress = bits === network.toByteArray().length * 8
  return isWithin(address, host.network) && (isSingleAddress || isPrivateNetwork(address))
}

function isWithin(address: string, [network, bits]: Network): boolean {
  const unmapped = ipaddr.process(address)
  return unmapped.kind() === network.kind() && unmapped.match(network, bits)
}

const privateRanges = ['private', 'uniqueLocal', 'loopback', 'carrierGradeNat']
/** The metadata services of Amazon, Google and Alibaba that have private addresses. */
const metadataServices = ['fd00:ec2::/32', 'fd20:ce::/32', '100.100.100.200/32'].map((network) =>
  ipaddr.parseCIDR(network),
)

/** Whether an address is in a private network. A cloud's metadata service is not: only its exact address allows it. */
function isPrivateNetwork(address: string): boolean {
  const isMetadata = metadataServices.some((network) => isWithin(address, network))
  return privateRanges.includes(ipaddr.process(address).range()) && !isMetadata
}

function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '')
}

const globalIpv6 = ipaddr.IPv6.parseCIDR('2000::/3')
/** Addresses that look public, but lead to a cloud's own services inside it: Azure's wire server, IBM's networks. */
const cloudServices = ['168.63.129.16/32', '161.26.0.0/16', '166.8.0.0/14'].map((network) =>
  ipaddr.IPv4.parseCIDR(network),
)

/** Whether an address is public. The range `unicast` is space that no registry has reserved. */
function isUnicast(address: string): boolean {
  // An IPv6 address that embeds an IPv4 address leads to the IPv4 address.
  const unmapped = ipaddr.process(address)
  if (unmapped.range() !== 'unicast') return false
  if (unmapped instanceof ipaddr.IPv4)
    return !cloudServices.some((network) => unmapped.match(network))
  // No other global space was ever assigned (RFC 4291, 2.4). Other addresses are obsolete, or a network's translation.
  return unmapped.match(globalIpv6)
}

function refused(hostname: string): RefusedTarget {
  return new RefusedTarget(`${hostname} is not on the public internet.`)
}
