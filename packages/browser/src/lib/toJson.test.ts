import { expect, onTestFinished, test } from 'vitest'
import { toJson } from './toJson.ts'

test.each<[unknown, string]>([
  [
    { a: 1, b: [true, null, 'x"\n'], c: undefined, d: {} },
    '{"a":1,"b":[true,null,"x\\"\\n"],"d":{}}',
  ],
  [2n ** 70n, '"1180591620717411303424"'],
  [[undefined, Number.NaN], '[null,null]'],
  [undefined, 'null'],
])('%o becomes %s', (value, text) => {
  expect(toJson(value)).toBe(text)
})

test('methods that the page adds to prototypes are not called', () => {
  const prototypes = [Array, Object, String, Number, Boolean, BigInt].map(
    ({ prototype }) => prototype as { toJSON?: unknown },
  )
  for (const prototype of prototypes) prototype.toJSON = () => 'of the page'
  onTestFinished(() => {
    for (const prototype of prototypes) delete prototype.toJSON
  })
  const value = { list: [1, 'two', { three: 3n }], yes: true }
  expect(toJson(value)).toBe('{"list":[1,"two",{"three":"3"}],"yes":true}')
})
