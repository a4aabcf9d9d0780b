import { expect, test } from 'vitest'
import { newIntent, newTerms } from './creation/newIntent.ts'
import { presentCreated, presentInEvent, presentNew } from './present.ts'

test('the texts of a new intent are those of its response and its event', () => {
  const wallet = '0xa0ee7a142d267c1f36714e4a8f75612f20a79720'
  const terms = newTerms(
    { amount_units: 5_000_000 },
    '{"order": "1, \\"}"}',
    {
      ...{ id: 'mer_1', mode: 'testnet', defaultChain: null },
      ...{ wallets: { base: wallet }, allowedWallets: [], confirmations: {} },
    },
    {
      newId: () => 'pi_1',
      salt: `0x${'11'.repeat(32)}`,
      clock: () => 1_700_000_000_999,
      confirmations: { base: 5 },
    },
  )
  const intent = newIntent(terms, { payable: 5_000_100n, referenceOnly: false })
  const { begin, response, event } = presentNew(intent)
  expect([begin + response, begin + event]).toEqual([
    presentCreated(intent),
    presentInEvent(intent),
  ])
  expect(JSON.parse(begin + event)).toMatchObject({
    ...{ amount_units: 5_000_000, payable_amount_units: 5_000_100, version: 1 },
    metadata: { order: '1, "}' },
  })
})
