import { describe, expect, test } from 'vitest'
import {
  after,
  chosen,
  effectsOf,
  found,
  insisted,
  kept,
  keptSent,
  order,
  prepared,
  resolved,
} from '../../test/support/checkoutEvents.ts'
import { txHash } from '../../test/support/intent.ts'
import { screen } from '../checkout/screen.ts'
import type { CheckoutEvent } from '../checkout/state.ts'
import type { WalletRequest } from './keptRequests.ts'

const newer = { ...kept, id: 'newer' }
const keptBatch: WalletRequest = { ...kept, answer: 'sent', batchId: '0x01' }
const stopsAttempt = { type: 'stop', work: 'attempt' }
/** Another checkout has sent a wallet request, and the payer is sure that nothing was sent. */
const sure = [found, resolved({}, [kept]), insisted]

function changed(...kept: WalletRequest[]): CheckoutEvent {
  return { type: 'kept_changed', kept }
}

const asking: CheckoutEvent[] = [
  ...sure,
  chosen,
  prepared({ outcome: 'ready', order }),
  { type: 'lock_answered', id: 1, taken: true, kept: [kept] },
]

describe('what another checkout records', () => {
  test.each<[string, CheckoutEvent[], object]>([
    ['that it was sent', [...sure, changed(keptSent)], { name: 'sent', txHash }],
    ['that it was sent, read with an answer', [...sure, resolved({}, [keptSent])], { txHash }],
    [
      'the transaction of a batch',
      [found, resolved({}, [keptBatch]), insisted, changed({ ...keptBatch, txHash })],
      { name: 'sent', txHash },
    ],
    ['another request', [...sure, changed(kept, newer)], { name: 'asked' }],
    [
      'another request, refused since',
      [...sure, changed(kept, newer), changed(kept)],
      { name: 'asked' },
    ],
  ])('ends the payer’s assurance: %s', (_, events, shown) => {
    expect(screen(after(...events))).toMatchObject(shown)
  })

  test.each<[string, CheckoutEvent[]]>([
    ['nothing new', [...sure, changed(kept)]],
    ['a refusal', [found, resolved({}, [kept, newer]), insisted, changed(kept)]],
  ])('leaves the payer’s assurance as it is: %s', (_, events) => {
    expect(screen(after(...events))).toMatchObject({ name: 'pay', open: 'payment' })
  })

  test.each<[string, CheckoutEvent]>([
    ['at once', changed(keptSent)],
    ['with an answer', resolved({}, [keptSent])],
  ])('ends an attempt, also one that followed an assurance: %s', (_, event) => {
    expect(effectsOf(...sure, chosen, event)).toContainEqual(stopsAttempt)
    expect(screen(after(...sure, chosen, event))).toMatchObject({ name: 'sent' })
  })

  test('ends an attempt whose wallet is asked: the payer is shown what was sent before', () => {
    expect(screen(after(...asking))).toMatchObject({ name: 'wallet', step: 'confirming' })
    expect(screen(after(...asking, changed(keptSent)))).toMatchObject({
      name: 'sent',
      txHash,
      stillAsks: true,
    })
  })
})
