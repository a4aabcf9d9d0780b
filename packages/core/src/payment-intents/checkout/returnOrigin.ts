const loopback = /^(localhost|127\.0\.0\.1|\[::1\])$/

/** The origin of a URL that a page may lead back to: https, or http on this machine; null: neither. */
export function returnOriginOf(text: string): string | null {
  if (!URL.canParse(text)) return null
  const { protocol, hostname, origin, username, password } = new URL(text)
  if (username || password) return null
  const isSafe = protocol === 'https:' || (protocol === 'http:' && loopback.test(hostname))
  return isSafe ? origin : null
}
