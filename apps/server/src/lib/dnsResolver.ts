import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { boundedMap } from './boundedMap.ts'

export type Address = { readonly address: string; readonly family: 4 | 6 }

/**
 * The addresses of a host name.
 * @throws {UnknownHost} if it has none, or no server responds in time
 */
export type DnsResolver = (hostname: string) => Promise<Address[]>

export class UnknownHost extends Error {}

/** Timeout of one query to one name server, which gets two queries. */
const timeoutMs = 1_500
/** How long a failure is cached: shorter than the first backoff of a webhook, so that its next attempt resolves again. */
const failedForMs = 3_000
const hostsForMs = 10_000
/** How long to wait for the other address family (RFC 8305, section 3). */
const otherFamilyMs = 50

/**
 * Resolves names without the four threads that `dns.lookup` shares with files and compression: names without a response would block all of
 * them. It resolves names as written, without search domains; /etc/hosts comes first, as usual.
 *
 * @param options.servers name servers, those of the system by default
 */
export function createDnsResolver(
  options: { servers?: readonly string[]; timeoutMs?: number } = {},
): DnsResolver {
  const resolver = new Resolver({ timeout: options.timeoutMs ?? timeoutMs, tries: 2 })
  if (options.servers) resolver.setServers(options.servers)
  const failed = boundedMap<number>(1_000)
  const inFlight = new Map<string, Promise<Address[]>>()
  const findInHosts = hostsFile()

  async function query(name: string): Promise<Address[]> {
    const listed = await findInHosts(name)
    if (listed.length > 0) return listed
    const resolved: Address[] = []
    const collect = (family: 4 | 6) => (addresses: string[]) => {
      resolved.push(...addresses.map((address) => ({ address, family })))
    }
    const families = [
      resolver.resolve4(name).then(collect(4)),
      resolver.resolve6(name).then(collect(6)),
    ]
    const both = Promise.allSettled(families)
    try {
      await Promise.any(families)
    } catch {
      failed.set(name, performance.now() + failedForMs)
      throw new UnknownHost(`${name} could not be resolved.`)
    }
    await Promise.race([both, sleep(otherFamilyMs)])
    return [...resolved]
  }

  return async (hostname) => {
    const name = hostname.toLowerCase()
    if ((failed.get(name) ?? 0) > performance.now()) {
      throw new UnknownHost(`${name} could not be resolved.`)
    }
    const pending = inFlight.get(name) ?? query(name).finally(() => inFlight.delete(name))
    inFlight.set(name, pending)
    return pending
  }
}

/** The entries of /etc/hosts for a name; `localhost` is this machine, also without an entry there (RFC 6761). */
function hostsFile(): (name: string) => Promise<Address[]> {
  let readAt = Number.NEGATIVE_INFINITY
  let entries = new Map<string, Address[]>()
  return async (name) => {
    if (performance.now() > readAt + hostsForMs) {
      readAt = performance.now()
      entries = parseHosts(await readFile('/etc/hosts', 'utf8').catch(() => ''))
    }
    return entries.get(name) ?? (name === 'localhost' ? loopback : [])
  }
}

const loopback: Address[] = [{ address: '127.0.0.1', family: 4 }]

function parseHosts(text: string): Map<string, Address[]> {
  const entries = new Map<string, Address[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    const family = address.includes(':') ? 6 : 4
    for (const name of names.map((name) => name.toLowerCase())) {
      entries.set(name, [...(entries.get(name) ?? []), { address, family }])
    }
  }
  return entries
}
