import { connect } from 'node:net'
import { errorBodySchema } from '@payment-intents/contract'
import { expect, test } from 'vitest'
import { serverOfFile } from '../../test/fixtures.ts'
import { createIntent, createTestMerchant, resolveIntent } from '../../test/testServer.ts'

const server = serverOfFile()

/** What the server answers to these bytes before it closes the connection. */
async function send(bytes: string): Promise<{ head: string; body: string }> {
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
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  return { head, body }
}

test.each([
  ['a header without a colon', 'bad header', 'the request is not valid HTTP'],
  ['headers past 16 KiB', `A: ${'a'.repeat(17_000)}`, 'the headers are larger than 16 KiB'],
])('%s is answered as every error is', async (_, header, message) => {
  const { head, body } = await send(`GET /livez HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`)
  const answer = errorBodySchema.parse(JSON.parse(body))
  expect(answer).toMatchObject({ error: 'invalid_body', message, issues: [{ path: '', message }] })
  expect(head.split('\r\n')).toEqual([
    'HTTP/1.1 400 Bad Request',
    `x-request-id: ${answer.request_id}`,
    'x-content-type-options: nosniff',
    'content-type: application/json; charset=utf-8',
    `content-length: ${body.length}`,
    'connection: close',
  ])
  expect(answer.request_id).toMatch(/^[\w-]{36}$/)
})

test('half a request is answered when its time is over, before a resolve that is held for 25 s', async () => {
  const { client_secret } = await createIntent(server, (await createTestMerchant(server.db)).apiKey)
  const head =
    'POST /v1/payment_intents/resolve HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\n'
  const half = send(`${head}Content-Length: 9\r\n\r\n{"cl`)
  const held = resolveIntent(server, client_secret, { after_version: 1, wait_seconds: 25 })
  const first = await Promise.race([half, held.then(() => null)])
  expect(first?.head).toContain('400 Bad Request')
  expect(first?.body).toContain('the request did not come in as a whole in time')
})
