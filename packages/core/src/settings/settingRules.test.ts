import { expect, test } from 'vitest'
import { settingRules } from './settingRules.ts'

test('an accent is # and six hexadecimal digits', () => {
  const { parse } = settingRules.accent
  expect(parse('#0A7d5C')).toBe('#0a7d5c')
  for (const invalid of [
    '',
    '0a7d5c',
    '#fff',
    '#0a7d5',
    '#0a7d5cc',
    '#0a7d5g',
    'red',
    '#0a7d5c;',
  ]) {
    expect(parse(invalid), invalid).toBeNull()
  }
})

test('a name is one line of text', () => {
  const { parse } = settingRules.name
  expect(parse(' Café 🥐 ')).toBe('Café 🥐')
  expect(parse('x'.repeat(200))).toBe('x'.repeat(200))
  for (const invalid of ['', ' ', 'x'.repeat(201), 'a\tb', 'a\nb', 'a\0b', '\ud800']) {
    expect(parse(invalid), JSON.stringify(invalid)).toBeNull()
  }
})
