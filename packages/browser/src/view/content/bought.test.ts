import { expect, test } from 'vitest'
import { bought } from './bought.ts'

const emptyOrder = { description: '', items: [], fiat: null }
const mug = { name: 'Mug', quantity: 2, amount: '48.00' }

test('the purchase has prices as decimals', () => {
  expect(
    bought({
      metadata: {
        description: ' Two mugs ',
        line_items: [mug, { name: 'Postage', amount: 4.5 }, { name: 'Card' }],
        fiat: { currency: 'EUR', amount: '48.30' },
      },
    }),
  ).toEqual({
    description: 'Two mugs',
    items: [
      { name: 'Mug', quantity: 2, price: '48.00' },
      { name: 'Postage', quantity: 1, price: '4.5' },
      { name: 'Card', quantity: 1, price: '' },
    ],
    fiat: { currency: 'EUR', amount: '48.30' },
  })
})

test('names lose explicit directional formatting', () => {
  const [item] = bought({ metadata: { line_items: [{ name: '\u202eguM' }] } }).items
  expect(item?.name).toBe('guM')
})

test.each<[string, unknown]>([
  ['no metadata', undefined],
  ['null', null],
  ['an object in place of the list', { line_items: { length: 1, 0: mug } }],
  ['a line that is null', { line_items: [mug, null] }],
  ['a line that is text', { line_items: ['Mug'] }],
  ['a name that is not text', { line_items: [{ ...mug, name: { toString: () => 'Mug' } }] }],
  ['an empty name', { line_items: [{ ...mug, name: ' ' }] }],
  ['a name that is too long', { line_items: [{ ...mug, name: 'm'.repeat(81) }] }],
  ['a quantity of zero', { line_items: [{ ...mug, quantity: 0 }] }],
  ['half a quantity', { line_items: [{ ...mug, quantity: 1.5 }] }],
  ['a quantity that is an object', { line_items: [{ ...mug, quantity: { toString: 1 } }] }],
  ['a quantity as text', { line_items: [{ ...mug, quantity: '2' }] }],
  ['a negative amount', { line_items: [{ ...mug, amount: -1 }] }],
  ['an amount that is not a decimal', { line_items: [{ ...mug, amount: '1e3' }] }],
  ['an amount that is not finite', { line_items: [{ ...mug, amount: Number.NaN }] }],
  ['too many lines', { line_items: Array.from({ length: 21 }, () => mug) }],
  ['a currency without an ISO code', { fiat: { currency: 'euro', amount: '1' } }],
  ['a currency without an amount', { fiat: { currency: 'EUR' } }],
  ['a list of currencies', { fiat: { currency: ['EUR'], amount: '1' } }],
  ['a description that is too long', { description: 'm'.repeat(201) }],
  ['a description that is not text', { description: ['Mug'] }],
])('%s shows nothing', (_, metadata) => {
  expect(bought({ metadata: metadata as Record<string, unknown> })).toEqual(emptyOrder)
})

test('a payment of a link has the description of its link', () => {
  const metadata = { description: 'Of the metadata' }
  expect(bought({ metadata, description: 'Guitar lesson' }).description).toBe('Guitar lesson')
  expect(bought({ metadata, description: null }).description).toBe('Of the metadata')
})
