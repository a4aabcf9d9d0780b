import type { TransferAuthorization } from '@payment-intents/contract'
import { describe, expect, test } from 'vitest'
import {
  after,
  answered,
  askedAs,
  back,
  canceled,
  chosen,
  closed,
  declined,
  effectsOf,
  found,
  insisted,
  kept,
  keptSent,
  leaving,
  now,
  order,
  part,
  problem,
  refused,
  resolved,
  wallet,
} from '../test/checkoutEvents.ts'
import { authorization, gaslessIntent, payer, txHash } from '../test/intent.ts'
import type { WalletRequest } from './keptRequests.ts'
import { noticeFor } from './notice.ts'
import type { Intent } from './parseIntent.ts'
import { screen } from './screen.ts'
import type { CheckoutEvent } from './state.ts'
import type { Authorization } from './wallet/authorization.ts'
import type { Order } from './wallet/transfer.ts'

describe('paying without gas', () => {
  const intentId = 'pi_test_0001'
  const requestId = `${now}-1`
  const offer = gaslessIntent()
  const message = { from: payer, ...offer.gasless?.message } as TransferAuthorization
  const signable: Order = {
    ...{ ...order, payer, method: 'authorization' },
    authorization: { domain: offer.gasless?.domain as Authorization['domain'], message },
  }
  const signature = `0x${'11'.repeat(65)}`
  const offered = (changes: Partial<Intent> = {}, known: readonly WalletRequest[] = []) =>
    resolved({ ...offer, ...changes }, known)
  const signing = [found, offered(), ...askedAs(1, signable)]
  const signed = answered({ outcome: 'signed', signature })
  const taken: CheckoutEvent = { type: 'handed_in', requestId, answer: { outcome: 'taken' } }
  const refusedAs = (reason: string): CheckoutEvent => {
    return { type: 'handed_in', requestId, answer: { outcome: 'refused', reason } }
  }
  const relayed = (changes: Partial<NonNullable<Intent['authorization']>> = {}, version = 2) =>
    offered({ gasless: null, authorization: authorization(changes), version })
  const { validBefore } = message
  const asked = { from: payer, validBefore: Number(validBefore) }
  const keptUnsigned: WalletRequest = { ...kept, authorization: asked }
  const keptSigned: WalletRequest = { ...keptUnsigned, answer: 'sent' }
  const afterDeadline = {
    ...{ status: 'expired', version: 3 },
    server_time: new Date(Number(validBefore) * 1000).toISOString(),
  }
  const gone: CheckoutEvent = { type: 'askers_gone', requestIds: [kept.id] }

  test.each<[string, CheckoutEvent[], object]>([
    ['as the wallet is asked', signing, { name: 'wallet', step: 'confirming', order: signable }],
    ['once signed', [...signing, signed], { name: 'sent', how: 'signed' }],
    ['once handed in', [...signing, signed, taken], { name: 'sent', how: 'relayed' }],
    ['of one handed in here', [...signing, signed, relayed()], { name: 'sent', how: 'relayed' }],
    ['of one handed in anywhere', [found, relayed()], { name: 'sent', how: 'relayed' }],
    [
      'of one that is submitted',
      [found, relayed({ tx_hash: txHash })],
      { name: 'sent', how: 'relayed', txHash },
    ],
    [
      'of one that is mined',
      [found, relayed({ status: 'used' })],
      { name: 'sent', how: 'relayed' },
    ],
    [
      'of one on its way, though the payer insists',
      [found, relayed(), insisted, chosen],
      { name: 'sent', how: 'relayed' },
    ],
    [
      'handed in elsewhere while a wallet connects here',
      [found, offered(), chosen, relayed()],
      { name: 'sent', how: 'relayed' },
    ],
    [
      'handed in elsewhere while a wallet is asked to sign here',
      [...signing, relayed()],
      { name: 'sent', how: 'relayed' },
    ],
    ['after a refusal in the wallet', [...signing, declined], problem('user_rejected', false)],
    ['on going back while the wallet asks', [...signing, back], { name: 'pay', wasAsked: false }],
    [
      'as an authorization is given up',
      [...signing, signed, taken, relayed({ status: 'refused', reason: 'insufficient_token' })],
      problem('insufficient_token', false),
    ],
    [
      'as the relayer cannot afford it any more',
      [...signing, signed, taken, relayed({ status: 'refused', reason: 'gasless_unavailable' })],
      { name: 'problem', problem: { code: 'internal_error', needsFee: true }, mayPay: false },
    ],
    ['of one given up before', [found, relayed({ status: 'refused' })], { name: 'pay' }],
    [
      'of one given up, handed in before a reload',
      [found, offered({ authorization: authorization({ status: 'expired' }) }, [keptSigned])],
      { name: 'pay', wasAsked: false },
    ],
    [
      'of an earlier payer’s that was given up',
      [
        ...[...signing, signed, taken],
        relayed({ status: 'refused', from: `0x${'33'.repeat(20)}` }),
      ],
      { name: 'sent', how: 'relayed' },
    ],
    ['after a reload while the wallet asks', [offered({}, [keptUnsigned])], { name: 'asked' }],
    [
      'after a reload, once no page waits for the signature',
      [found, offered({}, [keptUnsigned]), gone],
      { name: 'pay', wasAsked: false },
    ],
    [
      'after a reload, of what was handed in',
      [offered({}, [keptSigned]), gone],
      { name: 'sent', how: 'resumed' },
    ],
    ['of a transfer, though no page waits', [resolved({}, [kept]), gone], { name: 'asked' }],
    [
      'expired while the wallet asks',
      [...signing, offered(afterDeadline as Partial<Intent>)],
      { name: 'expired', moved: 'unknown' },
    ],
    [
      'expired when the wallet was asked before',
      [offered(afterDeadline as Partial<Intent>, [keptUnsigned])],
      { name: 'expired', moved: 'unknown' },
    ],
    [
      'expired while it is on its way',
      [
        offered({ ...(afterDeadline as Partial<Intent>), authorization: authorization() }, [
          keptSigned,
        ]),
      ],
      { name: 'expired', moved: 'sent' },
    ],
    [
      'leaving while the wallet asks',
      [...signing, leaving],
      { name: 'leaving', sent: false, signs: true },
    ],
    [
      'leaving before it is handed in',
      [...signing, signed, leaving],
      { name: 'leaving', sent: false, signs: true },
    ],
    [
      'leaving once it is handed in',
      [...signing, signed, taken, leaving],
      { name: 'leaving', sent: true },
    ],
  ])('the screen %s', (_, events, expected) => {
    expect(screen(after(...events))).toMatchObject(expected)
  })

  test.each([
    ['insufficient_token', { code: 'insufficient_token' }],
    ['address_blocked', { code: 'address_blocked' }],
    ['token_paused', { code: 'token_paused' }],
    ['payment_in_flight', { code: 'request_pending', otherTab: true }],
    ['gasless_unavailable', { code: 'internal_error', needsFee: true }],
    ['signature_invalid', { code: 'internal_error', needsFee: true }],
    ['one added later', { code: 'internal_error', needsFee: true }],
  ])(
    'the service does not take it (%s): nothing is paid, and the payer learns why',
    (reason, why) => {
      const events = [...signing, signed, refusedAs(reason)]
      expect(screen(after(...events))).toMatchObject({
        name: 'problem',
        problem: why,
        mayPay: false,
      })
      expect(effectsOf(...events)).toEqual([
        { type: 'stop', work: 'attempt' },
        { type: 'forget', intentId, requestIds: [requestId] },
      ])
    },
  )

  test('an authorization that was used before is a payment', () => {
    const events = [...signing, signed, refusedAs('authorization_used')]
    expect(screen(after(...events))).toMatchObject({ name: 'sent', how: 'duplicate' })
    expect(effectsOf(...events)).toMatchObject([{ type: 'keep', request: { answer: 'duplicate' } }])
  })

  test('a request is stored before the wallet is asked, and again before it is handed in', () => {
    const request = expect.objectContaining({ answer: 'none', authorization: asked })
    expect(effectsOf(...signing)).toEqual([
      { type: 'keep', intentId, request },
      { type: 'ask', requestId, wallet, order: signable },
    ])
    expect(effectsOf(...signing, signed)).toMatchObject([
      { type: 'stop', work: 'attempt' },
      { type: 'keep', request: { answer: 'signed' } },
      { type: 'stop', work: 'hand_in' },
      { type: 'hand_in', requestId, order: signable, signature },
    ])
  })

  test.each<[string, CheckoutEvent[]]>([
    ['gone back', [...signing, back]],
    ['closed the checkout', [...signing, closed]],
    ['been shown another authorization', [...signing, relayed()]],
    ['been shown the end', [...signing, canceled]],
    ['been told that a part arrived', [...signing, offered({ ...part, version: 2 })]],
  ])('a signature is not handed in once the payer has %s', (_, events) => {
    expect(effectsOf(...events)).toContainEqual({
      type: 'forget',
      intentId,
      requestIds: [requestId],
    })
    expect(after(...events).requests).toEqual([])
    expect(effectsOf(...events, signed)).toEqual([])
  })

  test('a signature is not handed in once another tab has recorded what was sent', () => {
    const events: CheckoutEvent[] = [...signing, { type: 'kept_changed', kept: [keptSent] }]
    const forgets = { type: 'forget', intentId, requestIds: [requestId] }
    expect(effectsOf(...events)).toContainEqual(forgets)
    expect(screen(after(...events))).toMatchObject({ name: 'sent', how: 'resumed' })
    expect(effectsOf(...events, signed)).toEqual([])
  })

  test('whether a page waits for a signature is found out on every answer', () => {
    const looks = { type: 'find_askers', intentId, requestIds: [kept.id] }
    expect(effectsOf(offered({}, [keptUnsigned]))).toContainEqual(looks)
    for (const others of [[kept], [keptSigned], []]) {
      expect(effectsOf(offered({}, others)).map(({ type }) => type)).not.toContain('find_askers')
    }
    expect(effectsOf(...signing, offered({ version: 2 })).map(({ type }) => type)).toEqual([])
  })

  test('a wallet that cannot sign is sent a transfer, by the next click', () => {
    const cannot = refused({ code: 'method_unsupported', needsFee: true })
    expect(screen(after(...signing, cannot))).toMatchObject({ name: 'problem', mayPay: false })
    expect(effectsOf(...signing, cannot).map(({ type }) => type)).not.toContain('ask')
    const payment = expect.objectContaining({ gasless: null })
    expect(effectsOf(...signing, cannot, chosen)).toContainEqual(
      expect.objectContaining({ type: 'prepare', payment }),
    )
    const other: CheckoutEvent = { type: 'wallet_chosen', wallet: { ...wallet, id: 'other' } }
    const { domain, message: terms } = offer.gasless ?? {}
    expect(effectsOf(...signing, cannot, other)).toContainEqual(
      expect.objectContaining({
        payment: expect.objectContaining({ gasless: { domain, message: terms } }),
      }),
    )
  })

  test('the nonce binds it, so that no payer is announced', () => {
    const alone = [offered({ manual: null }), ...askedAs(1, signable)]
    expect(effectsOf(...alone).map(({ type }) => type)).toEqual(['keep', 'ask'])
  })

  test('no wallet is asked while one is on its way, whatever the payer is sure of', () => {
    expect(effectsOf(found, relayed(), insisted, chosen)).toEqual([])
  })

  test('on its way, no callback is called for it', () => {
    expect(noticeFor(after(...signing, signed, taken, relayed({ tx_hash: txHash })))).toBeNull()
  })
})
