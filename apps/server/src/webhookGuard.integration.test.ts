import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns'
import { expect, onTestFinished, test } from 'vitest'
import { startReceiver } from '../test/webhookReceiver.ts'
import { createPoster } from './webhook/post.ts'
import { createGuard, type LookupAll } from './webhookGuard.ts'

const post = (url: string, options: Parameters<typeof createGuard>[0]) => {
  const poster = createPoster(createGuard(options))
  onTestFinished(() => poster.close())
  return poster.post({ url, headers: {}, body: '{}', signal: new AbortController().signal })
}

test.each([
  '127.0.0.1',
  '127.1',
  '0x7f000001',
  '2130706433',
  '0.0.0.0',
  '10.1.2.3',
  '172.16.0.1',
  '192.168.1.1',
  '100.64.0.1',
  '169.254.169.254',
  '192.0.2.1',
  '224.0.0.1',
  '255.255.255.255',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:10.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::7f00:1]',
  '[::7f00:1]',
  '[fec0::1]',
  '[2002:7f00:1::]',
  '[fe80::1]',
  '[fc00::1]',
  '[ff02::1]',
  '[2001:db8::1]',
])('%s is refused before anything is sent', async (host) => {
  const answer = await post(`http://${host}/`, { allowPrivate: false })
  expect(answer).toEqual({
    type: 'unanswered',
    error: expect.stringContaining('is not on the public internet.'),
  })
})

test.each(['8.8.8.8', '1.1.1.1', '[2606:4700::1111]'])('%s is anyone’s', (host) => {
  expect(() => createGuard({ allowPrivate: false }).checkHost(host)).not.toThrow()
})

test('a name that this machine resolves to itself is refused, and nothing arrives', async () => {
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  const url = receiver.url.replace('127.0.0.1', 'localhost')
  expect(await post(url, { allowPrivate: false })).toEqual({
    type: 'unanswered',
    error: 'localhost is not on the public internet.',
  })
  expect(receiver.connections()).toBe(0)
  expect(await post(url, { allowPrivate: true })).toMatchObject({ type: 'answered', status: 200 })
})

test('a name is resolved once for a connection: what it says later leads nowhere', async () => {
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  receiver.answer({ status: 200, headers: { connection: 'close' } })
  // The first answer stands for a public address, the second for one that the name was not checked for.
  const names = await serveNames(['127.0.0.1', '127.0.0.2'])
  const isPublic = (address: string) => address === '127.0.0.1'
  const poster = createPoster(createGuard({ allowPrivate: false, lookup: names.lookup, isPublic }))
  onTestFinished(() => poster.close())
  const url = `http://rebind.test:${new URL(receiver.url).port}/`
  const once = () =>
    poster.post({ url, headers: {}, body: '{}', signal: new AbortController().signal })
  expect(await once()).toMatchObject({ type: 'answered', status: 200 })
  expect(names.asked()).toBe(1)
  expect(await once()).toMatchObject({ error: 'rebind.test is not on the public internet.' })
  expect(names.asked()).toBe(2)
  expect(receiver.received).toHaveLength(1)
})

test('one private address among several is enough to refuse', async () => {
  const lookup: LookupAll = (_name, _options, callback) => {
    callback(null, [
      { address: '8.8.8.8', family: 4 },
      { address: '10.0.0.1', family: 4 },
    ])
  }
  expect(await post('http://both.test/', { allowPrivate: false, lookup })).toMatchObject({
    error: 'both.test is not on the public internet.',
  })
})

test('a name that nobody knows is said so', async () => {
  expect(await post('http://nobody.invalid/', { allowPrivate: false })).toEqual({
    type: 'unanswered',
    error: 'The name of the host could not be resolved.',
  })
})

/** A real DNS server that answers each question for an address with the next one of a list, the last from then on. */
async function serveNames(addresses: string[]) {
  let asked = 0
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    const [address = ''] = addresses.slice(Math.min(asked, addresses.length - 1))
    asked += 1
    const header = Buffer.from(query.subarray(0, 12))
    header.writeUInt16BE(0x8180, 2)
    header.writeUInt16BE(1, 6)
    header.writeUInt32BE(0, 8)
    const end = query.indexOf(0, 12) + 5
    const answer = Buffer.from([
      0xc0,
      12,
      0,
      1,
      0,
      1,
      0,
      0,
      0,
      0,
      0,
      4,
      ...address.split('.').map(Number),
    ])
    socket.send(Buffer.concat([header, query.subarray(12, end), answer]), from.port, from.address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    socket.close()
  })
  const resolver = new Resolver()
  resolver.setServers([`127.0.0.1:${socket.address().port}`])
  const lookup: LookupAll = (hostname, _options, callback) => {
    resolver.resolve4(hostname, (error, found = []) => {
      callback(
        error,
        found.map((address) => ({ address, family: 4 })),
      )
    })
  }
  return { lookup, asked: () => asked }
}
