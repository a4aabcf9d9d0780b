import { describe, expect, test } from 'vitest'
import {
  after,
  chosen,
  dismissal,
  effectsOf,
  order,
  prepared,
  resolved,
  storedRequest,
  storedSent,
  walletsDiscovered,
} from '../../test/support/checkoutEvents.ts'
import { txHash } from '../../test/support/testIntents.ts'
import { screen } from '../checkout/screen.ts'
import type { CheckoutEvent } from '../checkout/state.ts'
import type { WalletRequest } from './walletRequests.ts'

const newer = { ...storedRequest, id: 'newer' }
const storedBatch: WalletRequest = { ...storedRequest, result: 'sent', batchId: '0x01' }
const stopsAttempt = { type: 'stop', work: 'attempt' }
/** Another checkout has sent a wallet request, and the payer is sure that nothing was sent. */
const sure = [walletsDiscovered, resolved({}, [storedRequest]), dismissal]

function changed(...requests: WalletRequest[]): CheckoutEvent {
  return { type: 'requests_changed', stored: requests }
}

const requesting: CheckoutEvent[] = [
  ...sure,
  chosen,
  prepared({ outcome: 'ready', order }),
  { type: 'lock_settled', id: 1, acquired: true, stored: [storedRequest] },
]

describe('a record of another checkout', () => {
  test.each<[string, CheckoutEvent[], object]>([
    ['a sent payment', [...sure, changed(storedSent)], { name: 'sent', txHash }],
    [
      'a sent payment, read with a response of the service',
      [...sure, resolved({}, [storedSent])],
      { txHash },
    ],
    [
      'the transaction of a batch',
      [
        walletsDiscovered,
        resolved({}, [storedBatch]),
        dismissal,
        changed({ ...storedBatch, txHash }),
      ],
      { name: 'sent', txHash },
    ],
    ['another request', [...sure, changed(storedRequest, newer)], { name: 'requested' }],
    [
      'another request that was refused since',
      [...sure, changed(storedRequest, newer), changed(storedRequest)],
      { name: 'requested' },
    ],
  ])('ends the payer’s assurance: %s', (_, events, shown) => {
    expect(screen(after(...events))).toMatchObject(shown)
  })

  test.each<[string, CheckoutEvent[]]>([
    ['nothing new', [...sure, changed(storedRequest)]],
    [
      'a refusal',
      [walletsDiscovered, resolved({}, [storedRequest, newer]), dismissal, changed(storedRequest)],
    ],
  ])('leaves the payer’s assurance as it is: %s', (_, events) => {
    expect(screen(after(...events))).toMatchObject({ name: 'pay', openRequest: 'payment' })
  })

  test.each<[string, CheckoutEvent]>([
    ['from storage', changed(storedSent)],
    ['with a response of the service', resolved({}, [storedSent])],
  ])('ends an attempt, even after an assurance, if it is read %s', (_, event) => {
    expect(effectsOf(...sure, chosen, event)).toContainEqual(stopsAttempt)
    expect(screen(after(...sure, chosen, event))).toMatchObject({ name: 'sent' })
  })

  test('ends an attempt with an open wallet request, and shows the earlier payment', () => {
    expect(screen(after(...requesting))).toMatchObject({ name: 'wallet', step: 'confirming' })
    expect(screen(after(...requesting, changed(storedSent)))).toMatchObject({
      name: 'sent',
      txHash,
      isRequesting: true,
    })
  })
})
