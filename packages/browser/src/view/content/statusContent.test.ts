import { expect, test } from 'vitest'
import { authorization, gaslessIntent, txHash } from '../../../test/support/testIntents.ts'
import type { Screen } from '../../checkout/screen.ts'
import type { View } from '../view.ts'
import { statusContent } from './statusContent.ts'
import { createTranslator } from './translator.ts'

/** The second paragraph while an authorization is on its way. */
function moreOf(changes: Parameters<typeof authorization>[0]): string | false | undefined {
  const intent = gaslessIntent({ gasless: null, authorization: authorization(changes) })
  const shown: Screen = {
    name: 'sent',
    intent,
    source: 'relayed',
    txHash: null,
    isRequesting: false,
  }
  const view = { ...createTranslator(null, 'en'), waitedMs: 0, state: { wallets: [] } } as object
  return statusContent(shown as never, view as View).more
}

test('the payer sees until when a broadcast authorization may still pay', () => {
  const valid_before = new Date(2026, 0, 1, 14, 5).toISOString()
  expect(moreOf({ tx_hash: txHash, valid_before })).toMatch(/until 2:05:00\sPM\.$/)
  expect(moreOf({ tx_hash: null, valid_before })).toBeFalsy()
})
