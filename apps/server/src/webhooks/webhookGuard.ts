import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { type Address, createDnsResolver, type DnsResolver } from '../lib/dnsResolver.ts'
import { canonical, type WebhookTarget } from '../lib/webhookTargets.ts'

type Network = ReturnType<typeof ipaddr.parseCIDR>
type LookupCallback = (error: Error | null, addresses: Address[]) => void

/** A target that is not on the public internet. */
export class RefusedTarget extends Error {}

/** The targets that may be posted to, and how their names are resolved. */
export type Guard = {
  /** Throws {@link RefusedTarget} if the host of a URL is itself a refused address. */
  checkHost(url: URL): void
  /** Whether a URL literally names a host that the operator allows: its network is the operator's own. */
  isAllowedByName(url: URL): boolean
  /**
   * Resolves a name for one connection to this port, which then goes to the address checked here: a name that resolves differently the next
   * time (DNS rebinding) gains nothing. Refuses a name as soon as one of its addresses is refused.
   */
  lookup(
    port: number,
  ): (hostname: string, options: object, callback: (...args: never[]) => void) => void
}

/**
 * Keeps webhooks on the public internet: merchants may not post to services on this machine, in its network or in its
 * cloud's metadata service (SSRF).
 * @param options.allowPrivate for development, where the receiver runs on the same machine
 * @param options.allowed hosts in the operator's own networks that merchants may post to
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

/** The port of a URL. */
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
/** Cloud metadata services at private addresses: of Amazon, Google and Alibaba. */
const metadataServices = ['fd00:ec2::/32', 'fd20:ce::/32', '100.100.100.200/32'].map((network) =>
  ipaddr.parseCIDR(network),
)

/** Whether an address is in a private network and is no cloud metadata service, which only its exact address allows. */
function isPrivateNetwork(address: string): boolean {
  const isMetadata = metadataServices.some((network) => isWithin(address, network))
  return privateRanges.includes(ipaddr.process(address).range()) && !isMetadata
}

function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '')
}

const globalIpv6 = ipaddr.IPv6.parseCIDR('2000::/3')
/** Looks public, but inside a cloud leads to the cloud's own services: Azure's wire server; IBM's two networks. */
const cloudServices = ['168.63.129.16/32', '161.26.0.0/16', '166.8.0.0/14'].map((network) =>
  ipaddr.IPv4.parseCIDR(network),
)

/** Whether an address is public: `unicast` is space that no registry has reserved. */
function isUnicast(address: string): boolean {
  // In an IPv6 address that embeds an IPv4 address, the latter counts.
  const unmapped = ipaddr.process(address)
  if (unmapped.range() !== 'unicast') return false
  if (unmapped instanceof ipaddr.IPv4)
    return !cloudServices.some((network) => unmapped.match(network))
  // All space that was ever assigned (RFC 4291, 2.4); other addresses are a network's own translation or obsolete.
  return unmapped.match(globalIpv6)
}

function refused(hostname: string): RefusedTarget {
  return new RefusedTarget(`${hostname} is not on the public internet.`)
}
