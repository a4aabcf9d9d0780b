/** Of pages whose storage is denied. */
const inMemory = new Map<string, string>()

/** The key that this tab pays a link with, which opens its payments and no others; undefined before it has paid. */
export function visitorOf(link: string): string | undefined {
  const name = nameOf(link)
  try {
    return sessionStorage.getItem(name) ?? inMemory.get(name)
  } catch {
    return inMemory.get(name)
  }
}

/** The same, and a new one before the first payment. */
export function newVisitor(link: string): string {
  const key = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(18))))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
  const name = nameOf(link)
  inMemory.set(name, key)
  try {
    sessionStorage.setItem(name, key)
  } catch {
    // Then a reload is another visitor.
  }
  return key
}

/** The next payment is another visitor's: this one's stays as it is. */
export function forgetVisitor(link: string): void {
  const name = nameOf(link)
  inMemory.delete(name)
  try {
    sessionStorage.removeItem(name)
  } catch {
    // It was in memory alone.
  }
}

function nameOf(link: string): string {
  return `payment-intents-visitor:${link}`
}
