import ipaddr from 'ipaddr.js'

type Network = ReturnType<typeof ipaddr.parseCIDR>

/** A host of the operator's own network that merchants may post webhooks to. */
export type WebhookTarget = {
  readonly host: { type: 'name'; name: string } | { type: 'network'; network: Network }
  readonly ports: readonly number[]
}

const webPorts = [80, 443]
const hostName =
  /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9])?)*\.?$/i

/**
 * Parses an entry of `WEBHOOK_ALLOW_HOSTS`: a name, an address or a network (CIDR), and after a colon the allowed port.
 * Without a port, those of http and https are allowed. IPv6 stands in brackets: `[fd00::7]:8080`.
 *
 * @returns null: the entry is invalid
 */
export function readWebhookTarget(text: string): WebhookTarget | null {
  const [, bracketed, plain, digits] =
    /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(text) ?? []
  const written = bracketed ?? plain
  const port = digits === undefined ? null : Number(digits)
  if (!written || port === 0 || (port ?? 0) > 65_535) return null
  const ports = port === null ? webPorts : [port]
  const network = readNetwork(written)
  if (network) return { host: { type: 'network', network }, ports }
  // "10.0.0.0/99" and "1.2.3" are mistyped networks, although they could be names.
  if (bracketed || /^[\d.]+$/.test(written) || !hostName.test(written)) return null
  return { host: { type: 'name', name: canonical(written) }, ports }
}

/** Two names of the same host are equal after this conversion. */
export function canonical(name: string): string {
  return name.toLowerCase().replace(/\.$/, '')
}

function readNetwork(written: string): Network | null {
  if (ipaddr.isValidCIDR(written)) return ipaddr.parseCIDR(written)
  // IPv4 needs all four numbers: "10.1" would be 10.0.0.1.
  if (ipaddr.IPv4.isValidFourPartDecimal(written)) return [ipaddr.IPv4.parse(written), 32]
  return ipaddr.IPv6.isValid(written) ? [ipaddr.IPv6.parse(written), 128] : null
}
