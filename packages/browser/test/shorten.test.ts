import { globSync, readFileSync } from 'node:fs'
import { generate } from 'lean-qr/nano'
import { expect, inject, test } from 'vitest'
import { eventTypes, privateNames, withoutUnusedQr } from '../shorten.ts'

const read = (path: string) => readFileSync(`${import.meta.dirname}/../${path}`, 'utf8')

test('builds shorten names that only the checkout reads', () => {
  const script = readFileSync(`${inject('bundles')}/script.js`, 'utf8')
  const sources = globSync(`${import.meta.dirname}/../src/**/*.ts`).map((path) =>
    readFileSync(path, 'utf8'),
  )
  for (const name of ['clockOffsetMs', 'wallet_chosen', 'internal_error.text']) {
    expect(
      sources.some((text) => text.includes(name)),
      name,
    ).toBe(true)
    expect(script.split(name).length, name).toBe(1)
  }
})

test.each([
  ['an option or a callback', 'clientSecret merchantName onSuccess payment_intent_id recoverable'],
  [
    'read by a wallet',
    'request params chainId rpcUrls nativeCurrency calls atomicRequired receipts',
  ],
  ['stored', 'requestedAt result txHash batchId authorization validBefore'],
  ['read by the service', 'client_secret tx_hash expires_at authorization gasless near_misses'],
  ['an export', 'mountModal NoWallet QrPanel styles messages'],
  ['a key of metadata', 'line_items fiat description quantity currency amount'],
  ['a message or a placeholder', 'wallets merchant network amount address received'],
])('no name that is %s is shortened', (_, names) => {
  expect(names.split(' ').filter((name) => privateNames().includes(name))).toEqual([])
})

test('no shortened type is sent, stored or shown', () => {
  const types = [...eventTypes().keys()]
  expect(types).toContain("'wallet_chosen'")
  const others = [
    ...[
      'src/service/post.ts',
      'src/checkoutOptions.ts',
      'src/storage/walletRequests.ts',
      'src/service/parseIntent.ts',
    ],
    ...['src/view/content/statusContent.ts', 'src/checkout/screen.ts', '../contract/src/errors.ts'],
    ...globSync('src/view/content/status/*.ts', { cwd: `${import.meta.dirname}/..` }),
  ].map(read)
  expect(types.filter((type) => others.some((text) => text.includes(type)))).toEqual([])
})

test('builds draw the same QR codes as the library', async () => {
  const code = withoutUnusedQr(read('node_modules/lean-qr/nano.mjs'))
  const built = await import(`data:text/javascript,${encodeURIComponent(code)}`)
  const rowsOf = ({ size, get }: ReturnType<typeof generate>) =>
    Array.from({ length: size }, (_, y) => Array.from({ length: size }, (_, x) => get(x, y)))
  for (let length = 1; length < 700; length += 7) {
    const text = 'https://pay.example/'.padEnd(length, '0aX').slice(0, length)
    expect(rowsOf(built.generate(text)), `${length}`).toEqual(rowsOf(generate(text)))
  }
})
