import { expect, test } from 'vitest'
import { guessSearch } from './guessSearch.ts'

const hash = `0x${'ab'.repeat(32)}`
const account = `0x${'Ab'.repeat(20)}`
const transaction = ['transaction', 'payment reference', 'refund reference']
const accounts = ['payer', 'wallet', 'destination of a refund', 'account that refunds']
const amounts = (...all: number[]) => [
  'metadata order_id',
  ...all.map((n) => `amount of ${n} units`),
]

test.each<[string, string[]]>([
  ['pi_0abc', ['id']],
  ['pi_0abc_secret_9Z', ['id']],
  ['re_0abc', ['refund']],
  ['https://pay.example.com/refund/#re_0abc_link_9Z', ['refund']],
  ['plink_0abc', ['payment link']],
  ['https://pay.example.com/l/plink_0abc', ['payment link']],
  [hash, transaction],
  [hash.slice(2).toUpperCase(), transaction],
  [`https://basescan.org/tx/${hash}#eventlog`, transaction],
  [account, accounts],
  [`https://basescan.org/address/${account}`, accounts],
  ['1042', amounts(1_042_000_000, 1042)],
  ['25.00', amounts(25_000_000)],
  ['$1,250.5', amounts(1_250_500_000)],
  ['24.999963 USDC', amounts(24_999_963)],
  ['25000000', amounts(25_000_000_000_000, 25_000_000)],
  ['0', amounts()],
  ['0.0000001', amounts()],
  ['99999999999999999999', amounts()],
  ['order #7', amounts()],
  [`${hash}0`, amounts()],
  ['0x12', amounts()],
])('%j is searched as %j', (text, searched) => {
  expect(guessSearch(text, 'order_id').map(({ as }) => as)).toEqual(searched)
})

test('a client secret and a refund’s link are cut to their ids, a transaction to its hash', () => {
  expect(guessSearch('re_0abc_link_9Z', 'order_id')).toEqual([
    { as: 'refund', refundId: 're_0abc' },
  ])
  expect(guessSearch('pi_0abc_secret_9Z', 'order_id')).toEqual([{ as: 'id', id: 'pi_0abc' }])
  const [transaction] = guessSearch(`https://basescan.org/tx/${hash}`, 'order_id')
  expect(transaction).toMatchObject({ payments: { tx_hash: hash }, transfers: { tx_hash: hash } })
  expect(guessSearch('7', 'cart')[0]).toMatchObject({ payments: { metadata: { cart: '7' } } })
})
