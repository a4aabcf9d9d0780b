import { type Address, type TransferAuthorization, windows } from '@payment-intents/contract'
import type { Hex } from 'viem'
import {
  notRelayed,
  type RefusedAuthorization,
  refusalByToken,
} from '../authorizations/authorizationRefusals.ts'
import { readSignature } from '../authorizations/readSignature.ts'
import { validateSignedTransfer } from '../authorizations/validateSignedTransfer.ts'
import {
  conflict,
  HttpError,
  internalError,
  invalidBody,
  notFoundError,
} from '../http/httpError.ts'
import type { Handler, Service } from '../service.ts'
import type { Refund } from './refund.ts'
import { applyOrRefuse, respondWith } from './refundActions.ts'
import { isCovered } from './refundable.ts'

/**
 * Validates the signature of a merchant's wallet (EIP-3009) and stores it to be broadcast. Reads the chain before it
 * locks anything; decides under the lock that the refund may be paid. The first accepted signature fixes the account
 * and the destination. The same account may sign again with a later `validBefore`: the token accepts its nonce once.
 */
export const authorizeRefund: Handler<'authorizeRefund'> = async (service, request) => {
  const { actor, id, body } = request
  const stored = await service.store.refunds.find(actor, id)
  if (!stored) throw notFoundError('refund')
  const { refund } = stored
  const { chainId } = refund
  const authorization = lowerCase(body.authorization)
  const from = authorization.from as Address
  // Already paid by this account's signature.
  const isPaid = refund.transfer !== null && refund.attachedTxHash === null
  if (isPaid && refund.from === from) return respondWith(service, { ...stored, events: [] })
  checkTerms(service, refund, authorization)
  const parsedSignature = await readSignature(chainId, authorization, body.signature as Hex)
  if (parsedSignature.type === 'invalid') throw signatureInvalid(parsedSignature.message)
  if (!service.gasless.isOffered({ chainId, merchantId: actor.merchantId })) {
    throw refusal(notRelayed({ isConfigured: service.gasless.isConfigured(chainId) }))
  }
  const validated = await validateSignedTransfer(
    (signed) => service.simulateTransfer(chainId, signed),
    {
      ...{ authorization, parsedSignature },
    },
  )
  if (validated.type === 'unavailable') throw internalError()
  if (validated.type === 'refused') throw refusal(validated)
  const { simulation, signature } = validated
  const value = refund.amount
  const toStore = {
    id: service.newId('auth', service.clock(chainId).now),
    ...{ refundId: id, chainId, token: refund.token, from, value, signature },
    to: authorization.to as Address,
    validAfter: 0,
    validBefore: Number(authorization.validBefore),
    nonce: refund.reference,
    codeHash: simulation.codeHash,
  }
  const locks = { id, address: from, authorization: toStore }
  const changed = await service.store.refunds.underLock(actor, locks, (locked) => {
    const { conflicting, role, source } = locked
    if (role !== 'registered') {
      const message = `${body.authorization.from} is not registered to pay refunds: sign with a registered wallet of the merchant.`
      throw new HttpError('wallet_invalid', message)
    }
    // The destination may have been named meanwhile: the signature would pay another account.
    checkTerms(service, locked.refund, authorization)
    const applied = applyOrRefuse(locked.refund, { type: 'signed', from })
    if (!isCovered(source)) {
      const message =
        'The chain took the payment back: the refund waits until the payment succeeds again.'
      throw conflict('amount_exceeds_refundable', message)
    }
    if (conflicting?.isCutOff) throw refusal(notRelayed({ isConfigured: true }))
    const isUsed = simulation.nonceUsed
    const promised = conflicting?.promised ?? 0n
    const byToken = validated.refusal ?? refusalByToken({ ...simulation, isUsed, value, promised })
    if (byToken) throw refusal(byToken)
    return applied
  })
  return respondWith(service, changed)
}

/** @throws {HttpError} `invalid_body` if the authorization differs from the refund's terms */
function checkTerms(
  service: Pick<Service, 'clock'>,
  { chainId, destination, amount, reference }: Refund,
  { from, to, value, validAfter, validBefore, nonce }: TransferAuthorization,
): void {
  if (destination === null)
    throw conflict('illegal_state', 'The refund has no destination: name it first.')
  const issues: { path: string; message: string }[] = []
  const expect = (isSo: boolean, name: string, message: string) => {
    if (!isSo) issues.push({ path: `authorization.${name}`, message })
  }
  const now = Math.floor(service.clock(chainId).now / 1000)
  const [min, max] = [now + windows.gaslessSubmitted, now + windows.refundSignable]
  expect(from !== destination, 'from', 'must be another account than the destination')
  expect(to === destination, 'to', `must be the destination, ${destination}`)
  expect(value === String(amount), 'value', `must be the amount, ${amount}`)
  expect(validAfter === '0', 'validAfter', 'must be 0')
  const isSignable = BigInt(validBefore) > BigInt(min) && BigInt(validBefore) <= BigInt(max)
  expect(isSignable, 'validBefore', `must be from ${min + 1} to ${max}: retrieve the refund again`)
  expect(nonce === reference, 'nonce', `must be the refund_reference, ${reference}`)
  if (issues.length > 0) throw invalidBody(issues)
}

function refusal({ reason, message }: RefusedAuthorization): HttpError {
  return reason === 'signature_invalid' ? signatureInvalid(message) : conflict(reason, message)
}

function signatureInvalid(message: string): HttpError {
  const issues = [{ path: 'signature', message }]
  return new HttpError('invalid_body', message, { reason: 'signature_invalid', issues })
}

function lowerCase(authorization: TransferAuthorization): TransferAuthorization {
  const { from, to } = authorization
  return { ...authorization, from: from.toLowerCase(), to: to.toLowerCase() }
}
