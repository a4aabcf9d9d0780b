import { expect, test } from 'vitest'
import { settingRules } from './settingRules.ts'

test('an accent is # and six hexadecimal digits', () => {
  const { read } = settingRules.accent
  expect(read('#0A7d5C')).toBe('#0a7d5c')
  for (const wrong of ['', '0a7d5c', '#fff', '#0a7d5', '#0a7d5cc', '#0a7d5g', 'red', '#0a7d5c;']) {
    expect(read(wrong), wrong).toBeNull()
  }
})

test('a name is one line of text', () => {
  const { read } = settingRules.name
  expect(read(' Café 🥐 ')).toBe('Café 🥐')
  expect(read('x'.repeat(200))).toBe('x'.repeat(200))
  for (const wrong of ['', ' ', 'x'.repeat(201), 'a\tb', 'a\nb', 'a\0b', '\ud800']) {
    expect(read(wrong), JSON.stringify(wrong)).toBeNull()
  }
})
