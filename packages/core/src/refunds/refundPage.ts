import type { Address, RequestOf, ResolvedRefund } from '@payment-intents/contract'
import { usdcDecimals } from '@payment-intents/contract'
import { type Hex, hashMessage } from 'viem'
import { recoverSigner } from '../authorizations/readSignature.ts'
import { HttpError, internalError } from '../http/httpError.ts'
import { checksummed } from '../lib/checksummed.ts'
import type { Service } from '../service.ts'
import { destinationOf, refuseDestination } from './destination.ts'
import { applyOrRefuse } from './refundActions.ts'
import { paidUnits } from './refundable.ts'
import { isSignInMessage, signInMessage } from './signInMessage.ts'
import type { PageRefund } from './store.ts'
import { canNameDestination } from './transitionRefund.ts'

// The payer's actions at `links.page`. Anyone with the link can name a destination until it is fixed; afterwards the
// link only shows the refund.

/** @param id of the token's refund */
export async function resolveRefund(
  service: Service,
  id: string,
  { token, account: text }: RequestOf<'resolveRefund'>['body'],
): Promise<string> {
  const stored = await findForPage(service, id)
  const account = text === undefined ? null : destinationOf(text)
  return present(service, stored, { token, account })
}

/**
 * Names the destination as the payer. A signature of an account that has paid the amount proves it; anything else is a claim,
 * which the merchant confirms.
 *
 * @param id of the token's refund
 */
export async function nameRefundDestination(
  service: Service,
  id: string,
  body: RequestOf<'nameRefundDestination'>['body'],
): Promise<string> {
  const { token, message, signature } = body
  const stored = await findForPage(service, id)
  const { merchantId, mode } = stored.refund
  const destination = destinationOf(body.destination)
  const signed = message !== undefined && signature !== undefined
  if (signed) await checkSignature(service, stored, { destination, message, signature })
  const request = { id, address: destination }
  const changed = await service.store.refunds.underLock(
    { merchantId, mode },
    request,
    ({ refund, source, role }) => {
      refuseDestination(destination, { token: refund.token, role })
      const hasPaid = paidUnits(source, destination, id) >= refund.amount
      const proof = signed && hasPaid ? 'payer_signature' : 'payer_claim'
      const applied = applyOrRefuse(refund, { type: 'destination_claimed', destination, proof })
      // A repeated request changes nothing, although its message has been used.
      if (signed && applied.changed) {
        checkMessage(service, message, { refund, account: destination, token })
      }
      return applied
    },
  )
  if (!changed) throw noSuchRefund()
  return present(service, { ...stored, ...changed }, { token, account: null })
}

/** The same for a wrong token and for a refund that does not exist. */
export function noSuchRefund(): HttpError {
  return new HttpError('not_found', 'There is no refund with this token.')
}

async function findForPage({ store }: Service, id: string): Promise<PageRefund> {
  const stored = await store.refunds.findForPage(id)
  if (!stored) throw noSuchRefund()
  return stored
}

function present(
  service: Service,
  { refund, merchantName, support }: PageRefund,
  { token, account }: { token: string; account: Address | null },
): string {
  const { chainId, destination, transfer } = refund
  const canName = canNameDestination(refund)
  const { publicUrl } = service
  const network = service.network(chainId)
  const resolved: ResolvedRefund = {
    id: refund.id,
    status: refund.status,
    mode: refund.mode,
    chain: refund.chain,
    chain_id: chainId,
    confirmations_required: refund.confirmationsRequired,
    amount_units: Number(refund.amount),
    decimals: usdcDecimals,
    token_symbol: 'USDC',
    token_address: checksummed(refund.token),
    destination: destination && checksummed(destination),
    destination_proof: refund.destinationProof,
    tx_hash: transfer?.txHash ?? null,
    confirmations: refund.confirmations,
    merchant_name: merchantName,
    support,
    network: { name: network?.name ?? refund.chain, explorer_url: network?.explorerUrl ?? null },
    can_name_destination: canName,
    message_to_sign:
      account && canName
        ? signInMessage({ publicUrl, refund, account, token }, service.now())
        : null,
  }
  return JSON.stringify(resolved)
}

/** @throws {HttpError} `invalid_body` unless the account has signed the message */
async function checkSignature(
  service: Service,
  { refund: { chainId } }: PageRefund,
  signed: { destination: Address; message: string; signature: string },
): Promise<void> {
  const { destination: account, message } = signed
  const signature = signed.signature as Hex
  const hash = hashMessage(message)
  const recovered = await recoverSigner(hash, signature)
  if (recovered.type === 'account' && recovered.signer === account) return
  const isValid = await service.checkAccountSignature({ chainId, account, hash, signature })
  if (isValid === null) throw internalError()
  if (!isValid) throw signatureInvalid('signature', 'is not of the destination')
}

function checkMessage(
  { publicUrl, now }: Service,
  message: string,
  terms: Omit<Parameters<typeof signInMessage>[0], 'publicUrl'>,
): void {
  if (isSignInMessage(message, { ...terms, publicUrl }, now())) return
  throw signatureInvalid(
    'message',
    'is not the `message_to_sign` of this refund and account, or its time is over: resolve again',
  )
}

function signatureInvalid(path: string, message: string): HttpError {
  const issues = [{ path, message }]
  return new HttpError('invalid_body', `\`${path}\`: ${message}`, {
    ...{ reason: 'signature_invalid', issues },
  })
}
