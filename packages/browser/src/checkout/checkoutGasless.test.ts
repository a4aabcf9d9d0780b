import type { TransferAuthorization } from '@payment-intents/contract'
import { describe, expect, test } from 'vitest'
import {
  after,
  back,
  canceled,
  chosen,
  closed,
  declined,
  dismissal,
  effectsOf,
  leaving,
  now,
  order,
  part,
  prepared,
  problem,
  refused,
  requestedAs,
  resolved,
  storedRequest,
  storedSent,
  wallet,
  walletResponse,
  walletsDiscovered,
} from '../../test/support/checkoutEvents.ts'
import { authorization, gaslessIntent, payer, txHash } from '../../test/support/testIntents.ts'
import type { Intent } from '../service/parseIntent.ts'
import type { WalletRequest } from '../storage/walletRequests.ts'
import type { Authorization } from '../wallet/authorization.ts'
import type { Order } from '../wallet/encodeTransfer.ts'
import type { WalletResponse } from '../wallet/requestWallet.ts'
import { noticeFor } from './notice.ts'
import { screen } from './screen.ts'
import type { CheckoutEvent } from './state.ts'

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
  const offered = (changes: Partial<Intent> = {}, stored: readonly WalletRequest[] = []) =>
    resolved({ ...offer, ...changes }, stored)
  const signing = [walletsDiscovered, offered(), ...requestedAs(1, signable)]
  const signed = walletResponse({ outcome: 'signed', signature })
  const accepted: CheckoutEvent = { type: 'submitted', requestId, result: { outcome: 'accepted' } }
  const refusedAs = (reason: string): CheckoutEvent => {
    return { type: 'submitted', requestId, result: { outcome: 'refused', reason } }
  }
  const relayed = (changes: Partial<NonNullable<Intent['authorization']>> = {}, version = 2) =>
    offered({ gasless: null, authorization: authorization(changes), version })
  const { validBefore } = message
  const requestedAuthorization = { from: payer, validBefore: Number(validBefore) }
  const storedUnsigned: WalletRequest = { ...storedRequest, authorization: requestedAuthorization }
  const storedSigned: WalletRequest = { ...storedUnsigned, result: 'sent' }
  const afterDeadline = {
    ...{ status: 'expired', version: 3 },
    server_time: new Date(Number(validBefore) * 1000).toISOString(),
  }
  const manualChosen: CheckoutEvent = { type: 'payment_method_chosen', paymentMethod: 'qr' }
  const otherChosen: CheckoutEvent = {
    ...{ type: 'wallet_chosen', wallet: { ...wallet, id: 'other' } },
  }
  const refusal: WalletResponse = { outcome: 'refused', problem: { code: 'user_rejected' } }
  const cannot = refused({ code: 'method_unsupported', unusable: true, needsFee: true })
  const prepares = (payment: object) =>
    expect.objectContaining({ type: 'prepare', payment: expect.objectContaining(payment) })
  const requestersClosed: CheckoutEvent = {
    type: 'requesters_closed',
    requestIds: [storedRequest.id],
  }

  test.each<[string, CheckoutEvent[], object]>([
    [
      'the order while the wallet prompts',
      signing,
      { name: 'wallet', step: 'confirming', order: signable },
    ],
    ['a signed payment', [...signing, signed], { name: 'sent', source: 'signed' }],
    [
      'a relayed payment once the service has the authorization',
      [...signing, signed, accepted],
      { name: 'sent', source: 'relayed' },
    ],
    [
      'a relayed payment that this page submitted',
      [...signing, signed, relayed()],
      { name: 'sent', source: 'relayed' },
    ],
    [
      'a relayed payment that another page submitted',
      [walletsDiscovered, relayed()],
      { name: 'sent', source: 'relayed' },
    ],
    [
      'the hash of a relayed payment',
      [walletsDiscovered, relayed({ tx_hash: txHash })],
      { name: 'sent', source: 'relayed', txHash },
    ],
    [
      'a relayed payment that is mined and not yet seen',
      [walletsDiscovered, relayed({ status: 'used' })],
      { name: 'sent', source: 'relayed' },
    ],
    [
      'a relayed payment though the payer insists that nothing was sent',
      [walletsDiscovered, relayed(), dismissal, chosen],
      { name: 'sent', source: 'relayed' },
    ],
    [
      'a relayed payment that another page submits while a wallet connects here',
      [walletsDiscovered, offered(), chosen, relayed()],
      { name: 'sent', source: 'relayed' },
    ],
    [
      'a relayed payment that another page submits while a wallet prompts here',
      [...signing, relayed()],
      { name: 'sent', source: 'relayed' },
    ],
    [
      'a problem after a refusal in the wallet',
      [...signing, declined],
      problem('user_rejected', false),
    ],
    [
      'the ways to pay when the payer goes back while the wallet prompts',
      [...signing, back],
      { name: 'pay', openRequest: 'signature' },
    ],
    [
      'the QR code when the payer chooses to pay by hand while the wallet prompts',
      [...signing, back, manualChosen],
      { name: 'pay', paymentMethod: 'qr', openRequest: 'none' },
    ],
    [
      'a problem if the second request is refused while the first is open',
      [...signing, back, ...requestedAs(2, signable), walletResponse(refusal, 2)],
      problem('user_rejected', false),
    ],
    [
      'a problem if the service gives up the authorization',
      [...signing, signed, accepted, relayed({ status: 'refused', reason: 'insufficient_token' })],
      problem('insufficient_token', false),
    ],
    [
      'a problem that needs a fee if the relayer can no longer pay',
      [...signing, signed, accepted, relayed({ status: 'refused', reason: 'gasless_unavailable' })],
      { name: 'problem', problem: { code: 'internal_error', needsFee: true }, mayStillPay: false },
    ],
    [
      'the ways to pay if an authorization was given up before',
      [walletsDiscovered, relayed({ status: 'refused' })],
      { name: 'pay' },
    ],
    [
      'the ways to pay if an authorization from before a reload has expired',
      [
        walletsDiscovered,
        offered({ authorization: authorization({ status: 'expired' }) }, [storedSigned]),
      ],
      { name: 'pay', openRequest: 'none' },
    ],
    [
      'a relayed payment though the authorization of an earlier payer was given up',
      [
        ...[...signing, signed, accepted],
        relayed({ status: 'refused', from: `0x${'33'.repeat(20)}` }),
      ],
      { name: 'sent', source: 'relayed' },
    ],
    [
      'the open request after a reload while the wallet prompts',
      [offered({}, [storedUnsigned])],
      { name: 'requested' },
    ],
    [
      'the ways to pay after a reload once no page waits for the signature',
      [walletsDiscovered, offered({}, [storedUnsigned]), requestersClosed],
      { name: 'pay', openRequest: 'none' },
    ],
    [
      'a sent payment after a reload if its authorization was submitted',
      [offered({}, [storedSigned]), requestersClosed],
      { name: 'sent', source: 'resumed' },
    ],
    [
      'the open request for a transfer though no page waits for it',
      [resolved({}, [storedRequest]), requestersClosed],
      { name: 'requested' },
    ],
    [
      'the open request of a wallet that prompts when the intent expires',
      [...signing, offered(afterDeadline as Partial<Intent>)],
      // The payer learns that the request can be declined.
      { name: 'expired', lastPayment: 'requested' },
    ],
    [
      'the order after the deadline until the service says that the intent has expired',
      [...signing, offered({ ...afterDeadline, status: 'requires_payment' } as Partial<Intent>)],
      { name: 'wallet', order: signable },
    ],
    [
      'no open request if the intent expires after a reload',
      [offered(afterDeadline as Partial<Intent>, [storedUnsigned])],
      { name: 'expired', lastPayment: 'unknown' },
    ],
    [
      'a payment that is on its way when the intent expires',
      [
        offered({ ...(afterDeadline as Partial<Intent>), authorization: authorization() }, [
          storedSigned,
        ]),
      ],
      { name: 'expired', lastPayment: 'sent' },
    ],
    [
      'a warning that nothing is paid yet when the payer closes while the wallet prompts',
      [...signing, leaving],
      { name: 'leaving', sent: false, signs: true },
    ],
    [
      'a warning that nothing is paid yet when the payer closes before the service has the signature',
      [...signing, signed, leaving],
      { name: 'leaving', sent: false, signs: true },
    ],
    [
      'a warning that the payment goes on when the payer closes after the service has the signature',
      [...signing, signed, accepted, leaving],
      { name: 'leaving', sent: true },
    ],
  ])('shows %s', (_, events, expected) => {
    expect(screen(after(...events))).toMatchObject(expected)
  })

  test.each([
    ['insufficient_token', { code: 'insufficient_token' }],
    ['address_blocked', { code: 'address_blocked' }],
    ['token_paused', { code: 'token_paused' }],
    ['payment_in_flight', { code: 'request_pending', otherTab: true }],
    ['gasless_unavailable', { code: 'internal_error', needsFee: true }],
    ['signature_invalid', { code: 'internal_error', needsFee: true }],
    ['a reason added later', { code: 'internal_error', needsFee: true }],
  ])(
    'an authorization that the service refuses (%s) pays nothing, and the payer learns why',
    (reason, why) => {
      const events = [...signing, signed, refusedAs(reason)]
      expect(screen(after(...events))).toMatchObject({
        name: 'problem',
        problem: why,
        mayStillPay: false,
      })
      expect(effectsOf(...events)).toEqual([
        { type: 'stop', work: 'attempt' },
        { type: 'forget', intentId, requestIds: [requestId] },
      ])
    },
  )

  test('an authorization that was used before is a payment', () => {
    const events = [...signing, signed, refusedAs('authorization_used')]
    expect(screen(after(...events))).toMatchObject({ name: 'sent', source: 'duplicate' })
    expect(effectsOf(...events)).toMatchObject([
      { type: 'store', request: { result: 'duplicate' } },
    ])
  })

  test('a request is stored before it is sent to the wallet, and again before its signature is submitted', () => {
    const request = expect.objectContaining({
      result: 'none',
      authorization: requestedAuthorization,
    })
    expect(effectsOf(...signing)).toEqual([
      { type: 'store', intentId, request },
      { type: 'send_request', requestId, wallet, order: signable },
    ])
    expect(effectsOf(...signing, signed)).toMatchObject([
      { type: 'stop', work: 'attempt' },
      { type: 'store', request: { result: 'signed' } },
      { type: 'stop', work: 'submit' },
      { type: 'submit', requestId, order: signable, signature },
    ])
  })

  const late = requestedAs(2)
  const transfer = walletResponse({ outcome: 'sent', txHash, batchId: null }, 2)
  const unsureTransfer = walletResponse(
    { outcome: 'refused', problem: { code: 'internal_error', unsure: true } },
    2,
  )
  const revertedTransfer: CheckoutEvent = {
    ...{ type: 'watch_ended', requestId: `${now}-2`, code: 'tx_reverted' },
  }
  const submits = expect.objectContaining({ type: 'submit', requestId, signature })

  test.each<[string, CheckoutEvent[]]>([
    ['has gone back', [back]],
    ['has chosen another wallet', [back, otherChosen]],
    ['is prompted to sign again', [back, ...requestedAs(2, signable)]],
    ['reopens the wallet on the same screen', [{ type: 'wake_requested' }]],
    [
      'has refused the second request',
      [back, ...requestedAs(2, signable), walletResponse(refusal, 2)],
    ],
    ['has a transfer prepared', [back, chosen]],
    ['has refused a transfer', [back, ...late, walletResponse(refusal, 2)]],
    ['has learned that the transfer failed', [back, ...late, transfer, revertedTransfer]],
    [
      'has gone back and looked at the wallets',
      [back, { type: 'payment_method_chosen', paymentMethod: 'wallets' }],
    ],
  ])('a late signature is submitted once the payer %s', (_, events) => {
    expect(effectsOf(...signing, ...events, signed)).toContainEqual(submits)
    const state = after(...signing, ...events, signed)
    expect(screen(state)).toMatchObject({ name: 'sent', source: 'signed' })
    // Only the first of two signatures.
    const second = walletResponse({ outcome: 'signed', signature }, 2)
    const effects = effectsOf(...signing, ...events, signed, second)
    expect(effects.map(({ type }) => type)).not.toContain('submit')
  })

  test.each<[string, CheckoutEvent[]]>([
    ['is requested', late],
    ['is sent', [...late, transfer]],
    ['may be sent', [...late, unsureTransfer]],
    ['may be sent, though the payer is sure that it is not', [...late, unsureTransfer, dismissal]],
    [
      'may be sent, and the payer signs again',
      [...late, unsureTransfer, dismissal, ...requestedAs(3, signable)],
    ],
    ['was reorganised', [resolved({ ...offer, exceptions: ['reorged'], version: 2 })]],
    ['was requested in another tab', [{ type: 'requests_changed', stored: [storedRequest] }]],
  ])('a late signature is not submitted once a transfer %s', (_, events) => {
    const effects = effectsOf(...signing, back, ...events, signed)
    expect(effects.map(({ type }) => type)).not.toContain('submit')
  })

  test('a late signature is submitted beside a signature of the same account whose page is closed', () => {
    const storedBefore = { ...storedSigned, result: 'signed' } as const
    const events = (from: string) => {
      const stored = [{ ...storedBefore, authorization: { ...requestedAuthorization, from } }]
      const [choice, ready] = requestedAs(1, signable) as [CheckoutEvent, CheckoutEvent]
      const locked: CheckoutEvent = { type: 'lock_settled', id: 1, acquired: true, stored }
      return [
        walletsDiscovered,
        offered({}, stored),
        requestersClosed,
        choice,
        ready,
        locked,
        back,
        signed,
      ]
    }
    const others = `0x${'33'.repeat(20)}`
    expect(effectsOf(...events(payer.toUpperCase().replace('X', 'x')))).toContainEqual(submits)
    expect(effectsOf(...events(others)).map(({ type }) => type)).not.toContain('submit')
  })

  test('a wallet that fails to sign after the payer has gone back receives a transfer request next', () => {
    const events = [...signing, back, cannot, chosen]
    expect(effectsOf(...events)).toContainEqual(prepares({ unusable: ['authorization'] }))
  })

  test('a transfer in place of a signature is prepared on the payer’s word, for this wallet', () => {
    const unsigned: CheckoutEvent = { type: 'wallet_chosen', wallet, unsigned: true }
    const events = [...signing, unsigned]
    expect(effectsOf(...events)).toContainEqual(prepares({ unusable: ['authorization'] }))
    expect(effectsOf(...events, otherChosen)).toContainEqual(prepares({ unusable: [] }))
  })

  test('without gas for a transfer, the next attempt requests a signature again', () => {
    const stuck = prepared({ outcome: 'failed', problem: { code: 'insufficient_gas' } }, 2)
    const events = [...signing, cannot, chosen, stuck, chosen]
    const unusable = ['authorization', 'transaction']
    expect(effectsOf(...events)).toContainEqual(prepares({ unusable }))
  })

  test('the end of the intent gives up a signature, and a request for it stays shown', () => {
    const forgets = { type: 'forget', intentId, requestIds: [requestId] }
    expect(screen(after(...signing, canceled))).toMatchObject({ lastPayment: 'requested' })
    expect(effectsOf(...signing, canceled, signed)).toEqual([forgets])
    expect(effectsOf(...signing, canceled, closed)).toContainEqual(forgets)
  })

  test.each<[string, CheckoutEvent[]]>([
    ['chosen to pay by hand', [...signing, back, manualChosen]],
    ['closed the checkout', [...signing, closed]],
    ['been shown another authorization', [...signing, relayed()]],
    ['been shown a payment', [...signing, offered({ status: 'succeeded', version: 2 })]],
    ['been told that a part arrived', [...signing, offered({ ...part, version: 2 })]],
  ])('a signature is not submitted once the payer has %s', (_, events) => {
    expect(effectsOf(...events)).toContainEqual({
      type: 'forget',
      intentId,
      requestIds: [requestId],
    })
    expect(after(...events).requests).toEqual([])
    expect(effectsOf(...events, signed)).toEqual([])
  })

  test('a signature is not submitted once another tab has stored a sent payment', () => {
    const events: CheckoutEvent[] = [...signing, { type: 'requests_changed', stored: [storedSent] }]
    const forgets = { type: 'forget', intentId, requestIds: [requestId] }
    expect(screen(after(...events))).toMatchObject({ name: 'sent', source: 'resumed' })
    expect(effectsOf(...events, signed)).toEqual([forgets])
  })

  test('each response triggers a search for the page that waits for a signature', () => {
    const finds = { type: 'find_requesters', intentId, requestIds: [storedRequest.id] }
    expect(effectsOf(offered({}, [storedUnsigned]))).toContainEqual(finds)
    for (const others of [[storedRequest], [storedSigned], []]) {
      expect(effectsOf(offered({}, others)).map(({ type }) => type)).not.toContain(
        'find_requesters',
      )
    }
    expect(effectsOf(...signing, offered({ version: 2 })).map(({ type }) => type)).toEqual([])
  })

  test('the next click requests a transfer from a wallet that cannot sign', () => {
    expect(screen(after(...signing, cannot))).toMatchObject({ name: 'problem', mayStillPay: false })
    expect(effectsOf(...signing, cannot).map(({ type }) => type)).not.toContain('send_request')
    const unusable = ['authorization']
    expect(effectsOf(...signing, cannot, chosen)).toContainEqual(prepares({ unusable }))
    const { domain, message: terms } = offer.gasless ?? {}
    const gasless = { domain, message: terms }
    expect(effectsOf(...signing, cannot, otherChosen)).toContainEqual(
      prepares({ gasless, unusable: [] }),
    )
  })

  test('the nonce binds the payment, so no payer is announced', () => {
    const walletOnly = [offered({ manual: null }), ...requestedAs(1, signable)]
    expect(effectsOf(...walletOnly).map(({ type }) => type)).toEqual(['store', 'send_request'])
  })

  test('no wallet receives a request while an authorization is in flight, regardless of the payer’s assurance', () => {
    expect(effectsOf(walletsDiscovered, relayed(), dismissal, chosen)).toEqual([])
  })

  test('an authorization in flight calls no callback', () => {
    expect(noticeFor(after(...signing, signed, accepted, relayed({ tx_hash: txHash })))).toBeNull()
  })
})
