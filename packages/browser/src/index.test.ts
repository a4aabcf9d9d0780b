import { expect, test } from 'vitest'
import * as browser from './index.ts'

test('exports', () => {
  expect(Object.keys(browser)).toMatchInlineSnapshot(`
    [
      "openServiceModal",
      "preload",
    ]
  `)
})

test('importing is safe on a server, and opening there throws an explanation', () => {
  const options = { clientSecret: 's', merchantName: 'Kiosk', baseUrl: 'http://127.0.0.1' }
  expect(() => browser.openServiceModal(options)).toThrow(/openServiceModal needs a browser/)
})
