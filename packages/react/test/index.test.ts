import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as exported from '../src/index.ts'

test('exports', () => {
  expect(Object.keys(exported).sort()).toMatchInlineSnapshot(`
    [
      "useServiceModal",
    ]
  `)
})

test.each(['index.js', 'index.cjs'])('%s opens with "use client"', (file) => {
  const code = readFileSync(join(import.meta.dirname, '../dist', file), 'utf8')
  expect(code.startsWith('"use client";\n')).toBe(true)
})
