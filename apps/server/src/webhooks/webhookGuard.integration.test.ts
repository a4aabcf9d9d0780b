import { describe, expect, onTestFinished, test } from 'vitest'
import { serveNames } from '../../test/support/server/nameServer.ts'
import { startReceiver } from '../../test/support/server/webhookReceiver.ts'
import { createDnsResolver } from '../lib/dnsResolver.ts'
import { readWebhookTarget } from '../lib/webhookTargets.ts'
import { createPoster } from './createPoster.ts'
import { createGuard } from './webhookGuard.ts'

const publicOnly = 'is not on the public internet.'

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
  '168.63.129.16',
  '[::ffff:168.63.129.16]',
  '100.100.100.200',
  '192.0.0.192',
  '161.26.0.10',
  '166.9.1.2',
  '[fd00:ec2::254]',
  '[fd20:ce::254]',
])('%s is refused before anything is sent', async (host) => {
  const response = await post(`http://${host}/`, { allowPrivate: false })
  expect(response).toEqual({
    type: 'failed',
    error: { code: 'address_refused', message: expect.stringContaining(publicOnly) },
  })
})

test.each(['8.8.8.8', '1.1.1.1', '[2606:4700::1111]'])('%s is public', (host) => {
  expect(() =>
    createGuard({ allowPrivate: false }).checkHost(new URL(`https://${host}`)),
  ).not.toThrow()
})

test('a name that this machine resolves to itself is refused, and nothing arrives', async () => {
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  const url = receiver.url.replace('127.0.0.1', 'localhost')
  expect(await post(url, { allowPrivate: false })).toEqual({
    type: 'failed',
    error: { code: 'address_refused', message: 'localhost is not on the public internet.' },
  })
  expect(receiver.connections()).toBe(0)
  expect(await post(url, { allowPrivate: true })).toMatchObject({ type: 'responded', status: 200 })
})

test('a connection resolves its name once, so that a later result has no effect', async () => {
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  receiver.replyWith({ status: 200, headers: { connection: 'close' } })
  // The first response has an allowed address, the second an address that was not checked.
  const addresses = ['127.0.0.1', '127.0.0.2']
  const server = await serveNames((name) => [addresses[server.queryCount(name) - 1] ?? '127.0.0.2'])
  const names = createDnsResolver({ servers: [server.address] })
  const isPublic = (address: string) => address === '127.0.0.1'
  const poster = createPoster(createGuard({ allowPrivate: false, names, isPublic }))
  onTestFinished(() => poster.close())
  const url = `http://rebind.test:${new URL(receiver.url).port}/`
  const once = () =>
    poster.post({ url, headers: {}, body: '{}', signal: new AbortController().signal })
  expect(await once()).toMatchObject({ type: 'responded', status: 200 })
  expect(server.queryCount('rebind.test')).toBe(1)
  expect(await once()).toMatchObject({ error: { message: `rebind.test ${publicOnly}` } })
  expect(server.queryCount('rebind.test')).toBe(2)
  expect(receiver.received).toHaveLength(1)
})

test('a name with a private address among several is refused', async () => {
  const server = await serveNames(() => ['8.8.8.8', '10.0.0.1'])
  const names = createDnsResolver({ servers: [server.address] })
  expect(await post('http://both.test/', { allowPrivate: false, names })).toMatchObject({
    error: { message: `both.test ${publicOnly}` },
  })
})

test('a name that is unknown or gets no response has its own error, and is not resolved again at once', async () => {
  const server = await serveNames((name) => (name === 'silent.test' ? 'silence' : []))
  const names = createDnsResolver({ servers: [server.address], timeoutMs: 10 })
  const poster = createPoster(createGuard({ allowPrivate: true, names }))
  onTestFinished(() => poster.close())
  for (const name of ['nobody.test', 'silent.test']) {
    const signal = new AbortController().signal
    const send = () => poster.post({ url: `http://${name}/`, headers: {}, body: '{}', signal })
    const message = 'The name of the host could not be resolved.'
    const unresolved = { error: { code: 'host_not_found', message } }
    expect(await send()).toMatchObject(unresolved)
    const requested = server.queryCount(name)
    expect(await send()).toMatchObject(unresolved)
    expect(server.queryCount(name)).toBe(requested)
  }
})

const allowing = (...texts: string[]) => ({
  allowPrivate: false,
  allowed: texts.map((text) => readWebhookTarget(text) ?? expect.fail(`${text} is no target.`)),
})
const refused = { error: { message: expect.stringContaining(publicOnly) } }

describe('with WEBHOOK_ALLOW_HOSTS', () => {
  test('webhooks go only to the hosts and networks of the list, at their ports', async () => {
    const receiver = await startReceiver()
    const otherReceiver = await startReceiver()
    onTestFinished(async () => void (await Promise.all([receiver.close(), otherReceiver.close()])))
    const { port } = new URL(receiver.url)
    const byName = receiver.url.replace('127.0.0.1', 'localhost')
    for (const [url, target] of [
      [receiver.url, `127.0.0.1:${port}`],
      [receiver.url, `127.0.0.0/8:${port}`],
      [byName, `127.0.0.0/8:${port}, [::1]:${port}`],
      [byName, `localhost:${port}`],
      [byName, `LOCALHOST.:${port}`],
    ] as const) {
      const response = await post(url, allowing(...target.split(', ')))
      expect(response, target).toMatchObject({ type: 'responded', status: 200 })
    }
    for (const [url, target] of [
      [receiver.url, '127.0.0.1'],
      [otherReceiver.url, `127.0.0.1:${port}`],
      [otherReceiver.url.replace('127.0.0.1', 'localhost'), `localhost:${port}`],
      [receiver.url, `127.0.0.2:${port}`],
      // The list allows neither another name nor the bare address.
      [receiver.url, `localhost:${port}`],
      [byName, `shop.internal:${port}`],
    ] as const) {
      expect(await post(url, allowing(target)), `${url} ${target}`).toMatchObject(refused)
    }
    expect(receiver.received).toHaveLength(5)
    expect(otherReceiver.connections()).toBe(0)
  })

  test.each(['169.254.169.254', '168.63.129.16', 'fd00:ec2::254', '100.100.100.200', '0.0.0.0'])(
    'a name that resolves to %s is refused, even if a network with it is listed',
    async (address) => {
      const names = async () => [{ address, family: address.includes(':') ? 6 : 4 } as const]
      for (const target of ['shop.test', '0.0.0.0/0', '[::/0]']) {
        const options = { ...allowing(target), names }
        expect(await post('http://shop.test/', options), target).toMatchObject(refused)
      }
    },
  )

  test('a name with an address beyond the list among several is refused', async () => {
    const server = await serveNames(() => ['10.0.0.1', '10.1.0.1'])
    const names = createDnsResolver({ servers: [server.address] })
    const options = { ...allowing('10.0.0.0/16'), names }
    expect(await post('http://both.test/', options)).toMatchObject(refused)
  })

  test.each([
    ['http://shop.internal/', true],
    ['https://shop.internal/', true],
    ['http://shop.internal:8080/', false],
    ['http://evil.shop.internal/', false],
    ['http://10.0.0.7:9000/', true],
    ['http://[fd00::7]:8080/', true],
    ['http://0x0a000007:9000/', true],
    ['http://10.0.0.8:9000/', false],
    ['http://example.com/', false],
  ])('%s is a host that the operator named: %s', (url, named) => {
    const guard = createGuard(allowing('shop.internal', '10.0.0.7:9000', '[fd00::/64]:8080'))
    expect(guard.isAllowedByName(new URL(url))).toBe(named)
  })

  test.each([
    ...['', ':80', 'shop:', 'shop:0', 'shop:70000', 'http://shop', 'shop/path', '*.shop', '10.1'],
    ...['10.0.0.0/99', '10.0.0.0/', 'fd00::7', '[shop]', '[fd00::7', 'sh op', '-shop', 'a..b'],
  ])('%j is no host', (text) => {
    expect(readWebhookTarget(text)).toBeNull()
  })
})
