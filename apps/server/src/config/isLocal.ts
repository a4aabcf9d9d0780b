import ipaddr from 'ipaddr.js'

const localRanges = ['loopback', 'private', 'uniqueLocal', 'linkLocal', 'unspecified']
/**
 * Reserved by RFC 6761 and RFC 6762 or by ICANN; the middle pattern is a name without a dot, such as of a container.
 */
const localNames = /^[^.]+\.?$|\.(localhost|local|internal|test)\.?$/i

/** Whether a URL names this machine or its own network, without resolving it. */
export function isLocal(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
  if (!ipaddr.isValid(host)) return localNames.test(host)
  return localRanges.includes(ipaddr.process(host).range())
}
