import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { serverOfFile } from '../../test/fixtures.ts'
import { createIntent, createTestMerchant, resolveIntent } from '../../test/testServer.ts'

const server = serverOfFile()

/** What the server answers to these bytes before it closes the connection. */
async function send(bytes: string): Promise<string> {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname).setEncoding('utf8')
  let answer = ''
  socket.on('data', (text) => {
    answer += text
  })
  // Closed with bytes unread, a connection may end in a reset.
  socket.on('error', () => {})
  socket.write(bytes)
  await new Promise((closed) => socket.once('close', closed))
  return answer
}

test('half a request is answered when its time is over, before a resolve that is held for 25 s', async () => {
  const { client_secret } = await createIntent(server, (await createTestMerchant(server.db)).apiKey)
  const head =
    'POST /v1/payment_intents/resolve HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\n'
  const half = send(`${head}Content-Length: 9\r\n\r\n{"cl`)
  const held = resolveIntent(server, client_secret, { after_version: 1, wait_seconds: 25 })
  const first = await Promise.race([half, held.then(() => null)])
  expect(first).toContain('400 Bad Request')
  expect(first).toContain('the request did not come in as a whole in time')
})
