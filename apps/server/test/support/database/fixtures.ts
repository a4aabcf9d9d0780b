import { beforeAll, beforeEach, onTestFinished } from 'vitest'
import { startTestServer, type TestServer } from '../server/testServer.ts'
import { createTestDb, type TestDb } from './testDb.ts'

type ServerOptions = Parameters<typeof startTestServer>[0]
type End<Value> = (value: Value) => unknown

/** A value for all tests of a file. It is created before the first test, and ended after the last. */
export function ofFile<Value extends object>(make: () => Promise<Value>, end: End<Value>): Value {
  return made(beforeAll, make, end)
}

/** A value that is created before each test of a file, and ended after it. */
export function ofTest<Value extends object>(make: () => Promise<Value>, end: End<Value>): Value {
  return made(beforeEach, make, end)
}

export function dbOfFile(): TestDb {
  return ofFile(
    () => createTestDb(),
    (db) => db.close(),
  )
}

/** Starts another server, which runs until the test ends. */
export async function anotherServer(options?: ServerOptions): Promise<TestServer> {
  const server = await startTestServer(options)
  onTestFinished(() => server.close())
  return server
}

export function serverOfFile(options?: ServerOptions): TestServer {
  return ofFile(
    () => startTestServer(options),
    (server) => server.close(),
  )
}

function made<Value extends object>(
  before: typeof beforeAll | typeof beforeEach,
  make: () => Promise<Value>,
  end: End<Value>,
): Value {
  let value: Value | undefined
  before(async () => {
    const created = await make()
    value = created
    return async () => {
      await end(created)
    }
  })
  return standIn(() => value)
}

/** A stand-in for a value that is created later: each use reads the current value. */
export function standIn<Value extends object>(current: () => Value | undefined): Value {
  const there = () => {
    const value = current()
    if (!value) throw new Error('It is made before the tests, and not before that.')
    return value
  }
  return new Proxy({} as Value, {
    get: (_, name) => Reflect.get(there(), name),
    set: (_, name, value) => Reflect.set(there(), name, value),
  })
}
