import { expect, test } from 'vitest'
import { createTranslator } from './translator.ts'

const messages = { 'paid.text': '{amount} / {merchant}' }
const textIn = (tag: string, merchant: string) =>
  createTranslator(messages, tag).t('paid.text', { amount: '24.00', merchant })

test('a name among words written from right to left is isolated, and its words stay on one line', () => {
  expect(textIn('ar', 'Hollow Hill')).toBe('\u206824.00\u2069 / \u2068Hollow\u00a0Hill\u2069')
  expect(textIn('de', 'Hollow Hill')).toBe('24.00 / Hollow Hill')
})

test('a name that may be longer than a line can break', () => {
  const long = 'The Hollow Hill Coffee Company'
  expect(textIn('ar', long)).toBe(`\u206824.00\u2069 / \u2068${long}\u2069`)
})
