import { expect, test } from 'vitest'
import { readGuide, readSupport } from './payerHelp.ts'

test.each([
  ['help@shop.example', 'help@shop.example'],
  [' orders+usdc@shop.co.uk ', 'orders+usdc@shop.co.uk'],
  ['https://shop.example/help?topic=usdc#pay', 'https://shop.example/help?topic=usdc#pay'],
  ['HTTPS://Shop.example', 'https://shop.example/'],
  [`https://shop.example/${'a'.repeat(179)}`, `https://shop.example/${'a'.repeat(179)}`],
])('a mail address or an https URL is a contact: %s', (input, contact) => {
  expect(readSupport(input)).toBe(contact)
})

test.each([
  ...['', 'help', 'help@shop', 'help@@shop.example', 'a b@shop.example', '<b>@shop.example'],
  ...['help@shop.example, other@shop.example', 'help@shop.example?bcc=x@evil.example'],
  ...['mailto:help@shop.example', 'http://shop.example', 'javascript:alert(1)', 'data:,x'],
  ...['https://shop.example@evil.example', 'https://:x@evil.example', '//shop.example'],
  ...[`https://shop.example/${'a'.repeat(180)}`, `${'a'.repeat(200)}@shop.example`],
])('anything else is no contact: %s', (input) => {
  expect(readSupport(input)).toBeNull()
})

test('a long address is refused in linear time', () => {
  expect(readSupport(`a@${'a-'.repeat(200_000)}`)).toBeNull()
})

test.each([
  ['https://shop.example/usdc', 'https://shop.example/usdc'],
  [' none ', 'none'],
])('a page or none is a guide: %s', (input, guide) => {
  expect(readGuide(input)).toBe(guide)
})

test.each(['', 'None', 'help@shop.example', 'http://shop.example', 'javascript:alert(1)'])(
  'anything else is no guide: %s',
  (input) => {
    expect(readGuide(input)).toBeNull()
  },
)
