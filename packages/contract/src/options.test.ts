import vm from 'node:vm'
import { describe, expect, test } from 'vitest'
import { editDistance, flagIssue, nearestName, type OptionNames, optionIssues } from './options.ts'

type Options = { idempotencyKey?: string; maxRetries?: number; timeout?: number | undefined }
const names: OptionNames<Options> = { idempotencyKey: true, maxRetries: true, timeout: true }
const sentences = (options: unknown) => optionIssues(options, names).map(({ message }) => message)

describe('an unknown name is an issue, with the closest known name', () => {
  test.each([
    ['idempotency_key', 'idempotencyKey'],
    ['idempotencykey', 'idempotencyKey'],
    ['Idempotency-Key', 'idempotencyKey'],
    ['idempotencKey', 'idempotencyKey'],
    ['idempotnecyKey', 'idempotencyKey'],
    ['key', 'idempotencyKey'],
    ['retries', 'maxRetries'],
    ['max_retry', 'maxRetries'],
    ['timeoutMs', 'timeout'],
    ['requestTimeout', 'timeout'],
  ])('%s: %s', (name, nearest) => {
    const message = `Unknown option \`${name}\`. Did you mean \`${nearest}\`?`
    expect(optionIssues({ [name]: 1 }, names)).toEqual([{ path: name, message }])
    expect(optionIssues({ [name]: undefined }, names)).toHaveLength(1)
  })

  test.each(['cache', 'toString', 'constructor', '__proto__', 'a'])('%s: all', (name) => {
    const options = JSON.parse(`{ "${name}": 1 }`)
    expect(sentences(options)).toEqual([
      `Unknown option \`${name}\`. Known are \`idempotencyKey\`, \`maxRetries\`, \`timeout\`.`,
    ])
  })

  test('several, or only the first of many', () => {
    expect(sentences({ timeOut: 1, timeout: 1, max_retries: 1 })).toHaveLength(2)
    const tooManyOptions = Object.fromEntries(
      Array.from({ length: 100_000 }, (_, index) => [`x${index}`, 1]),
    )
    expect(sentences(tooManyOptions)).toHaveLength(20)
  })

  test('a name that may be a secret, or is not a word, is not repeated', () => {
    for (const name of [
      'sk_test_0',
      `pi_0_secret_${'0'.repeat(32)}`,
      'whsec_0',
      '\x1b[2J',
      'x'.repeat(1e6),
    ]) {
      const [issue] = optionIssues({ [name]: 1 }, names)
      expect(issue?.path).toBe('')
      expect(issue?.message).toMatch(/^Unknown option\. Known are `idempotencyKey`, /)
    }
  })
})

test.each([
  ['order-1', 'string'],
  ['', 'string'],
  [7, 'number'],
  [true, 'boolean'],
  [null, 'null'],
  [undefined, 'undefined'],
  [() => ({}), 'function'],
  [[], 'Array'],
  [['idempotencyKey'], 'Array'],
  [new Map([['idempotencyKey', 'order-1']]), 'Map'],
  [new AbortController().signal, 'AbortSignal'],
  [Promise.resolve({ idempotencyKey: 'order-1' }), 'Promise'],
  [new Headers({ 'idempotency-key': 'order-1' }), 'Headers'],
  [new Date(), 'Date'],
])('%o is not an object of options', (options, kind) => {
  const message = `Pass options as an object, such as { idempotencyKey: … }; received ${kind}.`
  expect(optionIssues(options, names)).toEqual([{ path: '', message }])
})

describe('known names are accepted in any object that has them', () => {
  class Defaults {
    timeout = 5
    get maxRetries() {
      return 1
    }
  }
  class OptionsClass extends Defaults {
    readonly [Symbol.toStringTag] = 'Given'
    idempotencyKey = 'order-1'
  }
  test.each<[string, unknown]>([
    ['plain', { timeout: undefined, maxRetries: 1 }],
    ['empty', {}],
    ['without a prototype', Object.assign(Object.create(null), { timeout: 5 })],
    ['empty, without a prototype', Object.create(null)],
    ['of a class', new OptionsClass()],
    ['of a class with getters alone', new (class extends Defaults {})()],
    ['that inherits', Object.create({ timeout: 5, method: () => 1 })],
    ['with a symbol', { [Symbol('trace')]: 1 }],
    ['frozen', Object.freeze({ timeout: 5 })],
    ['proxied', new Proxy({ timeout: 5 }, {})],
    ['of another realm', vm.runInNewContext('({ timeout: 5 })')],
    ['empty, of another realm', vm.runInNewContext('({})')],
  ])('%s', (_, options) => expect(optionIssues(options, names)).toEqual([]))

  test('while a polyfill has extended every object', () => {
    Reflect.set(Object.prototype, 'polyfill', 1)
    try {
      expect(sentences({ timeout: 5 })).toEqual([])
      expect(sentences({ polyfill: 5 })).toHaveLength(1)
    } finally {
      Reflect.deleteProperty(Object.prototype, 'polyfill')
    }
  })
})

describe('flags of a command line', () => {
  const flags = ['forward-to', 'from', 'json']
  test.each([
    [['--forwardto', 'x'], 'Unknown option `--forwardto`. Did you mean `--forward-to`?'],
    [['--forward_to=x'], 'Unknown option `--forward_to`. Did you mean `--forward-to`?'],
    [['a', '--form', 'x'], 'Unknown option `--form`. Did you mean `--from`?'],
    [['--xy'], 'Unknown option `--xy`. Known are `--forward-to`, `--from`, `--json`.'],
    [[`--sk_test_${'0'.repeat(40)}`], /^Unknown option\. Known are (?!.*sk_test)/],
    [['--json', '-x', 'a', '--from=--to', '--', '--to'], undefined],
  ])('%j', (args, message) => {
    const issue = flagIssue(args, flags)
    if (message === undefined) expect(issue).toBeUndefined()
    else expect(issue).toMatch(message)
  })

  test('of a command', () => {
    const message = 'Unknown option `--jsn` of find. Did you mean `--json`?'
    expect(flagIssue(['--jsn'], flags, 'find')).toBe(message)
  })
})

test('distance and closest name', () => {
  expect(editDistance('', 'abc')).toBe(3)
  expect(editDistance('abcd', 'acbd')).toBe(1)
  expect(editDistance('kitten', 'sitting')).toBe(3)
  expect(nearestName('secret', ['tolerance', 'now', 'mode'])).toBeUndefined()
})
