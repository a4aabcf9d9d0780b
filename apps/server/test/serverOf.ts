import { beforeAll, beforeEach } from 'vitest'
import { standIn } from './standIn.ts'
import { startTestServer, type TestServer } from './testServer.ts'

type Options = Parameters<typeof startTestServer>[0]

/** The one server of a file's tests. */
export function serverOfFile(options?: Options): TestServer {
  return started(beforeAll, options)
}

/** A server of its own for each test of a file. */
export function serverOfTest(options?: Options): TestServer {
  return started(beforeEach, options)
}

function started(
  before: typeof beforeAll | typeof beforeEach,
  options: Options | undefined,
): TestServer {
  let server: TestServer | undefined
  before(async () => {
    server = await startTestServer(options)
    return server.close
  })
  return standIn(() => server)
}
