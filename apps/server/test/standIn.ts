/**
 * Stands for what a hook makes before a test: each use is one of what is there at that moment, so that a file can name
 * it once.
 */
export function standIn<Value extends object>(current: () => Value | undefined): Value {
  const there = () => {
    const value = current()
    if (!value) throw new Error('It is made before each test, and not before.')
    return value
  }
  return new Proxy({} as Value, {
    get: (_, name) => Reflect.get(there(), name),
    set: (_, name, value) => Reflect.set(there(), name, value),
  })
}
