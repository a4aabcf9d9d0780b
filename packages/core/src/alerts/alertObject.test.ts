import { describe, expect, test } from 'vitest'
import { applyFacts } from '../payment-intents/applyFacts.ts'
import { newIntent } from '../payment-intents/creation/newIntent.ts'
import type { Fact } from '../payment-intents/transition.ts'
import { alertMail } from './alertMail.ts'
import { alertObjectOf } from './alertObject.ts'

const now = 1_767_225_600_000
const price = 10_000_000n

const open = newIntent(
  {
    ...{ id: 'pi_1', merchantId: 'mer_1', mode: 'testnet', chain: 'base', chainId: 84532 },
    ...{ token: '0x036cbd53842c5426634e7929541ec2318f3dcf7e', wallet: `0x${'02'.repeat(20)}` },
    ...{ amount: price, reference: '0x03', salt: '0x04', confirmationsRequired: 1, lane: 'sdk' },
    paymentLink: null,
    // Metadata is the merchant's and decides nothing.
    ...{ metadata: '{"note":"underpaid"}', createdAt: 0, expiresAt: 1_000, expiresInMinutes: 30 },
  },
  { payable: price, referenceOnly: true },
)

function paid(amount: bigint, blockTimestamp = 900): Fact {
  const where = { id: 'tr_1', txHash: '0x01', blockNumber: 10n, logIndex: 0 } as const
  return {
    type: 'transfer_seen',
    transfer: { ...where, blockTimestamp, amount, boundBy: 'reference' },
  }
}

function head(timestamp: number): Fact {
  return { type: 'head', blockNumber: 20n, timestamp, proven: new Set(['tr_1']) }
}

/** The causes that the facts lead to. */
function causes(...facts: readonly Fact[]) {
  return applyFacts(open, facts).events.flatMap((event) => alertObjectOf(event, now) ?? [])
}

describe('a payment', () => {
  const underpaid = { cause: 'payment_intent_underpaid', objectId: 'pi_1', since: now, dueAt: now }

  test('that is too small causes an alert at its deadline, not earlier', () => {
    expect(causes(paid(1_000_000n))).toEqual([])
    expect(causes(paid(1_000_000n), head(1_001))).toEqual([underpaid])
  })

  test('that is partly found after the deadline causes an alert then', () => {
    expect(causes(head(1_001), paid(1_000_000n))).toEqual([underpaid])
  })

  test('that never came, came late or was enough causes no alert', () => {
    expect(causes(head(1_001))).toEqual([])
    expect(causes(head(1_001), paid(1_000_000n, 1_001))).toEqual([])
    expect(causes(paid(price), head(950), head(1_001))).toEqual([])
  })

  test('that the chain takes back causes an alert if it had succeeded', () => {
    const orphaned: Fact = { type: 'transfer_orphaned', transferId: 'tr_1' }
    expect(causes(paid(price), orphaned)).toEqual([])
    expect(causes(paid(price), head(950), orphaned)).toMatchObject([
      { cause: 'payment_intent_reversed', objectId: 'pi_1', dueAt: now },
    ])
  })
})

test('a subject is one line, even if the merchant’s name is not', () => {
  const alert = {
    ...{ id: 'alert_1', cause: 'refund_waiting', count: 1, objects: ['re_1'] },
    ...({ mode: 'mainnet', since: '2030-01-01T00:00:00.000Z' } as const),
  }
  const merchant = { id: 'mer_1', name: ' Ada\r\nBcc: eve@example.com\u2028\u0000Shop ' }
  const { subject, text } = alertMail(alert, merchant, null)
  expect(subject).toBe('Ada Bcc: eve@example.com Shop: 1 refund has waited for a day')
  expect(text).toMatchInlineSnapshot(`
    "1 refund has waited for a day.

    Merchant: Ada Bcc: eve@example.com Shop, mer_1
    Since: 2030-01-01 00:00 UTC
    Refunds:
      re_1

    Each waits for a destination, a confirmation or a signature: its status says which.
    The API finds them by these ids.

    A mail of this kind comes once a day at most.
    "
  `)
})
