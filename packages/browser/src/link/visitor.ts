/** The keys of pages without access to storage. */
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

/** Creates and stores this tab's key, before the first payment. */
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

/** The next payment is another visitor's: this visitor's stays as it is. */
export function forgetVisitor(link: string): void {
  const name = nameOf(link)
  inMemory.delete(name)
  try {
    sessionStorage.removeItem(name)
  } catch {
    // Storage failed, so memory had the only copy.
  }
}

function nameOf(link: string): string {
  return `payment-intents-visitor:${link}`
}
