import { HttpError } from '@payment-intents/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseJson } from './json.ts'

function fault(body: string | Buffer): string | undefined {
  try {
    parseJson(Buffer.from(body))
  } catch (error) {
    if (error instanceof HttpError) return error.message
    throw error
  }
  return undefined
}

test('refuses a repeated property, at any depth and however it is escaped', () => {
  expect(fault('{"a":1,"a":1}')).toContain('`a`: appears twice')
  expect(fault('{"a":1,"\\u0061":1}')).toContain('appears twice')
  expect(fault('{"m":{"x":[{"k":1,"k":2}]}}')).toContain('`m.x.*.k`')
  expect(fault('{"a":{"b":1},"b":{"a":1}, "c":["a","a"]}')).toBeUndefined()
})

test('refuses anything but a JSON object in UTF-8', () => {
  for (const body of ['', 'nope', '[]', '1', 'null', '"text"', '{"a":1', '{"a":1}x']) {
    expect(fault(body), body).toBeTruthy()
  }
  expect(fault(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).toContain('not UTF-8')
})

test('the text of a value is what was sent, to the byte', () => {
  const metadata =
    '{ "n" : 1.0, "big":12345678901234567890,"__proto__":{"é":"\\u00e9 \\"}{"} ,"l":[1 ,2]}'
  const { textOf } = parseJson(Buffer.from(`{"x":1, "metadata" : ${metadata} , "y":[{}]}`))
  expect(textOf('metadata')).toBe(metadata)
  expect(textOf('y')).toBe('[{}]')
  expect(textOf('z')).toBeUndefined()
})

test.each(['{}', '{"a":1}'])('%s has no text of a property that it lacks', (source) => {
  const { textOf } = parseJson(Buffer.from(source))
  for (const property of ['metadata', 'toString', '__proto__']) {
    expect(textOf(property), property).toBeUndefined()
  }
})

test('a body of any depth is read', () => {
  const nested = `${'['.repeat(30_000)}${']'.repeat(30_000)}`
  expect(parseJson(Buffer.from(`{"metadata":${nested}}`)).textOf('metadata')).toBe(nested)
})

test('reads any object as JSON.parse does, with the texts of its values', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.nat({ max: 3 }),
      (object, indent) => {
        const source = JSON.stringify(object, null, indent)
        const { value, textOf } = parseJson(Buffer.from(source))
        expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(source)))
        for (const [key, part] of Object.entries(value)) {
          const text = textOf(key) ?? ''
          expect(source).toContain(text)
          expect(JSON.parse(text)).toEqual(part)
        }
      },
    ),
  )
})
