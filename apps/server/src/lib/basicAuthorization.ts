/** The `Authorization` header with the credentials of a URL; no header without credentials. */
export function basicAuthorization(url: string): { authorization?: string } {
  const { username, password } = new URL(url)
  if (!username && !password) return {}
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
}
