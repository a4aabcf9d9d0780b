import {
  encodeX402,
  readX402Payment,
  type X402Payment,
  type X402Required,
  x402BodyOf,
  x402ClaimOf,
  x402Headers,
  x402ReasonOf,
  x402Reasons,
} from '@payment-intents/contract'
import { createClient } from '../createClient.ts'
import { isPaymentIntentsError } from '../errors/paymentIntentsError.ts'
import { connection } from '../options/connection.ts'
import { checkX402Payment } from './checkX402Payment.ts'
import { submitPayment } from './submitPayment.ts'
import {
  checkPaymentRequiredOptions,
  checkTerms,
  type PaymentRequiredOptions,
  type PaymentTerms,
  requirementsOf,
} from './terms.ts'

/** A request to a paid route. */
export type SaleRequest = {
  /** The URL that the caller requested. */
  readonly url: string
  /** See `x402PaymentOf`. */
  readonly signature: string | null | undefined
  /** Aborted when the caller disconnects. */
  readonly disconnected: AbortSignal
}

export type Sold =
  /** The route may respond, with these headers. */
  | { readonly type: 'paid'; readonly headers: Readonly<Record<string, string>> }
  /** The route does not run; the caller gets this response. `body` is JSON text. */
  | {
      readonly type: 'responded'
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly body: string
    }

/** The minimum lifetime of a payment intent: longer than an authorization is valid, even if clocks differ slightly. */
const expiresInMinutes = 5
/** A service that cannot accept a payment now may accept it a moment later. */
const retryAfterSeconds = 5

/**
 * Sells a call of a route by x402: requests payment, and submits a payment that comes with a request. A payment buys
 * one call: of several requests with the same payment, exactly one is `paid`, in any process. The secret in the 402
 * identifies the buyer, so that nobody else who sees the payment can use it.
 *
 * @throws PaymentIntentsError `invalid_body` when the terms or the options are wrong
 */
export function createSeller(
  paymentTerms: PaymentTerms,
  options: PaymentRequiredOptions = {},
): (request: SaleRequest) => Promise<Sold> {
  checkPaymentRequiredOptions(options)
  const { onError = console.error, ...clientOptions } = options
  const terms = checkTerms(paymentTerms)
  const client = createClient(clientOptions)
  const connect = connection(clientOptions)
  /** The key names the mode. A key of an unknown format may be a live key. */
  const requirements = () => {
    const mode = connect().apiKey.startsWith('sk_test_') ? 'testnet' : 'mainnet'
    return requirementsOf(terms, mode)
  }

  return async (request) => {
    try {
      return await sell(request)
    } catch (error) {
      report(error, onError)
      const isFree =
        !isPaymentIntentsError(error) || error.retryable || error.reason === 'gasless_unavailable'
      return isFree ? unavailable() : jsonResponse(500, {}, { error: 'payment_failed' })
    }
  }

  async function sell({ url, signature, disconnected }: SaleRequest): Promise<Sold> {
    const currentTerms = requirements()
    const requirePayment = (error: string): Sold => {
      const accepts = [
        { ...currentTerms, extra: { ...currentTerms.extra, claim: crypto.randomUUID() } },
      ]
      const resource = { url, description: terms.description, mimeType: '' }
      const required: X402Required = { x402Version: 2, error, resource, accepts }
      return jsonResponse(
        402,
        { [x402Headers.required]: encodeX402(required) },
        x402BodyOf(required),
      )
    }
    if (!signature) return requirePayment('Payment required')
    const parsed = readX402Payment(signature, currentTerms)
    if (parsed.type === 'refused') return requirePayment(parsed.reason)
    if (x402ClaimOf(parsed.payment) === null)
      return requirePayment(x402Reasons.requirements_mismatch)
    const at = { now: Date.now() / 1000, expiresIn: expiresInMinutes * 60 }
    const refusal = checkX402Payment(parsed.payment, at)
    if (refusal !== null) return requirePayment(refusal)
    const created = await makeIntent(parsed.payment, signature)
    if (created.type === 'refused') return requirePayment(created.reason)
    const { baseUrl } = connect()
    const payment = { url: `${baseUrl}${created.link}`, signature, disconnected }
    const submitted = await submitPayment(payment, clientOptions)
    switch (submitted.type) {
      case 'paid':
        // A response sold to one buyer must not reach the next.
        return {
          type: 'paid',
          headers: { [x402Headers.response]: submitted.response, 'cache-control': 'private' },
        }
      case 'gone':
        return unavailable()
      case 'pending':
        return jsonResponse(
          402,
          { [x402Headers.response]: submitted.response },
          submitted.settlement,
        )
      case 'refused':
        return requirePayment(submitted.reason)
    }
  }

  /**
   * Creates the intent of a payment, or retrieves it if the payment was submitted before. The service creates none for
   * a payment that it refuses. `link` is the path of the intent's x402 link.
   */
  async function makeIntent(
    { payload }: X402Payment,
    signature: string,
  ): Promise<{ type: 'made'; link: string } | { type: 'refused'; reason: string }> {
    const { from, nonce } = payload.authorization
    const idempotencyKey = `x402:${from.toLowerCase()}:${nonce}`
    try {
      const intent = await client.createPaymentIntent(
        {
          amount_units: terms.amountUnits,
          chain: terms.chain,
          wallet_address: terms.wallet,
          expires_in_minutes: expiresInMinutes,
          metadata: terms.metadata,
        },
        { idempotencyKey, headers: { [x402Headers.signature]: signature } },
      )
      const link = intent.links?.x402
      if (!link) throw new Error(`The service relays no payments on ${terms.chain}: see its docs.`)
      // Behind a proxy, this server may reach the service at another URL than payers do.
      return { type: 'made', link: `/x402/${link.split('/').at(-1)}` }
    } catch (error) {
      // Without a reason, the payment did not cause the error.
      const reason = isPaymentIntentsError(error) ? x402ReasonOf(error) : null
      if (reason === null) throw error
      return { type: 'refused', reason }
    }
  }
}

function unavailable(): Sold {
  const headers = { 'retry-after': String(retryAfterSeconds) }
  const message = 'Send the same request again: the service takes no payment twice.'
  return jsonResponse(503, headers, { error: 'payment_unavailable', message })
}

function jsonResponse(status: number, headers: Record<string, string>, body: unknown): Sold {
  return {
    type: 'responded',
    status,
    headers: { ...headers, 'content-type': 'application/json', 'cache-control': 'no-store' },
    body: JSON.stringify(body),
  }
}

/** Exceptions and rejections of `onError` must not change the response. */
function report(error: unknown, onError: (error: unknown) => unknown): void {
  try {
    Promise.resolve(onError(error)).catch(() => {})
  } catch {}
}
