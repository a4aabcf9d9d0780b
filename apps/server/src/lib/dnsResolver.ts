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

/** The timeout of a query to a name server. Each name server gets two. */
const timeoutMs = 1_500
/** A failure is cached for less than the first backoff of a webhook, so that the next attempt resolves again. */
const failedForMs = 3_000
const hostsCachedForMs = 10_000
/** The time to wait for the other address family (RFC 8305, section 3). */
const otherFamilyMs = 50

/**
 * Resolves names without the four threads that `dns.lookup` shares with files and compression: names whose servers do
 * not respond would block all of them. Resolves a name as written, without search domains, and from /etc/hosts first.
 *
 * @param options.servers the name servers; by default those of the system
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

/** Finds the entries of a name in /etc/hosts. `localhost` is this machine even without an entry (RFC 6761). */
function hostsFile(): (name: string) => Promise<Address[]> {
  let readAt = Number.NEGATIVE_INFINITY
  let entries = new Map<string, Address[]>()
  return async (name) => {
    if (performance.now() > readAt + hostsCachedForMs) {
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
