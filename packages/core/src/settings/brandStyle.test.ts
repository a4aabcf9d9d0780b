import fc from 'fast-check'
import { expect, test } from 'vitest'
import { brandStyle } from './brandStyle.ts'
import { contrast, type Rgb } from './contrast.ts'

const rgb = (color: string | undefined) =>
  [1, 3, 5].map((at) => Number.parseInt(color?.slice(at, at + 2) ?? '', 16)) as unknown as Rgb

/** The backgrounds of text in the accent's colour: paper, and an element below the pointer. */
const light = ['#ffffff', '#f4f5f8'].map(rgb)
const dark = ['#14171c', '#1d2127'].map(rgb)

test('contrast follows WCAG: black on white, equal colours, and a grey of its examples', () => {
  expect(contrast(rgb('#000000'), rgb('#ffffff'))).toBe(21)
  expect(contrast(rgb('#2753e6'), rgb('#2753e6'))).toBe(1)
  expect(contrast(rgb('#767676'), rgb('#ffffff'))).toBeCloseTo(4.54, 2)
})

test('with any accent, text on it and in its colour is readable, on light and on dark', () => {
  const color = fc.integer({ min: 0, max: 0xffffff })
  fc.assert(
    fc.property(color, (value) => {
      const accent = `#${value.toString(16).padStart(6, '0')}`
      const style = brandStyle(accent)
      expect(style['--payment-intents-accent']).toBe(accent)
      const on = rgb(style['--payment-intents-on-accent'])
      expect(contrast(on, rgb(accent))).toBeGreaterThanOrEqual(4.5)
      for (const [name, surfaces] of [
        ['--accent-on-light', light],
        ['--accent-on-dark', dark],
      ] as const) {
        for (const surface of surfaces) {
          expect(contrast(rgb(style[name]), surface), name).toBeGreaterThanOrEqual(4.5)
        }
      }
    }),
  )
})

test('a readable colour is unchanged', () => {
  expect(brandStyle('#2753e6')).toMatchObject({
    '--payment-intents-on-accent': '#ffffff',
    '--accent-on-light': '#2753e6',
  })
  expect(brandStyle('#ffe600')).toMatchObject({
    '--payment-intents-on-accent': '#000000',
    '--accent-on-dark': '#ffe600',
  })
})
