import { vi } from 'vitest'

/** Stubs the browser APIs that the reducer and the effects use: storage, locks, window events. */
export function stubBrowser(): void {
  const window = Object.assign(new EventTarget(), { setTimeout })
  vi.stubGlobal('window', window)
  vi.stubGlobal('document', Object.assign(new EventTarget(), { hidden: false }))
  vi.stubGlobal('localStorage', createStorage())
  vi.stubGlobal('navigator', { onLine: true, locks: createLocks() })
}

/** Entries are own properties, as in a browser. */
function createStorage() {
  return Object.create({
    getItem(this: Record<string, string>, key: string) {
      return this[key] ?? null
    },
    setItem(this: Record<string, string>, key: string, value: string) {
      this[key] = value
    },
    removeItem(this: Record<string, string>, key: string) {
      delete this[key]
    },
  })
}

function createLocks() {
  const locks = new Set<string>()
  return {
    async request(name: string, _: object, grant: (lock: object | null) => unknown) {
      if (locks.has(name)) return grant(null)
      locks.add(name)
      try {
        return await grant({})
      } finally {
        locks.delete(name)
      }
    },
  }
}
