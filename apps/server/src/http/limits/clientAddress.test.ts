import { expect, test, vi } from 'vitest'
import { clientAddress, readForwardedAddress } from './clientAddress.ts'

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['203.0.113.7:52311', '203.0.113.7'],
  ['2001:db8::1', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['[2001:db8::1]:52311', '2001:db8::1'],
  ['"[2001:db8::1]:52311"', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['[fe80::1%25eth0]:80', 'fe80::1'],
  ['::ffff:203.0.113.7', '::ffff:203.0.113.7'],
  ['', null],
  [undefined, null],
  ['unknown', null],
  ['_hidden', null],
  ['203.0.113', null],
  ['203.0.113.7:', null],
  ['203.0.113.7:port', null],
  ['203.0.113.7.9:80', null],
  ['[203.0.113.7', null],
  ['shop.example', null],
  ['1', null],
  ['-'.repeat(8_000), null],
])('%j is the address %s', (text, address) => {
  expect(readForwardedAddress(text)).toBe(address)
})

test('a disconnected client causes no warning, which is left for the next invalid entry', () => {
  const log = { warn: vi.fn() }
  const server = {}
  const addressOf = (ip: string | undefined) =>
    clientAddress({ ip, server, log, socket: {} } as unknown as Parameters<typeof clientAddress>[0])
  expect([addressOf(undefined), addressOf('unknown'), addressOf('_hidden')]).toEqual(['', '', ''])
  expect(log.warn.mock.calls).toEqual([
    [{ value: 'unknown' }, expect.stringMatching('TRUST_PROXY')],
  ])
})
