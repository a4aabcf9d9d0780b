import type { Event } from '@payment-intents/contract'
import type { OptionNames } from '@payment-intents/contract/options'
import { type HttpHandler, HttpResponse, http } from 'msw'
import { checkOptions } from '../lib/checkOptions.ts'
import { createKitService } from './createKitService.ts'
import { createFailures, type Failure } from './failures.ts'
import { type MerchantOptions, merchantOf, merchantOptions } from './merchant.ts'
import { serveRequest } from './serveRequest.ts'
import { createSimulation, type Simulation } from './simulation.ts'

export type TestServiceOptions = MerchantOptions & {
  /** The base URL of the mocked requests; nothing listens on it. `https://payments.test` by default. */
  baseUrl?: string
  /** The only valid key. */
  apiKey?: string
  /**
   * Whether payers without gas can submit authorizations, which the next block pays, and programs can pay by x402, which
   * makes that block; `false` by default.
   */
  gasless?: boolean
  /** The initial time; the present by default. */
  now?: Date
}

const serviceOptions: OptionNames<TestServiceOptions> = {
  ...merchantOptions,
  ...{ baseUrl: true, apiKey: true, gasless: true, now: true },
}

export type TestService = Simulation & {
  readonly baseUrl: string
  readonly apiKey: string
  /** For `setupServer(...service.handlers)` of `msw/node`, or `setupWorker` of `msw/browser`. */
  readonly handlers: HttpHandler[]
  readonly clock: {
    now(): Date
    /** Advances the time, and each chain by one block: deadlines pass, payments get one more confirmation. */
    advance(minutes: number): void
  }
  /** Every event so far, oldest first. */
  readonly events: readonly Event[]
  /** Resolves when the webhooks that are due by the clock have been sent, and their receivers have responded. */
  webhooksSent(): Promise<void>
  /** Makes the next request fail, or the next `times` requests. */
  fail(failure: Failure): void
  /** Deletes everything, including planned failures, and resets the clock to the initial time. */
  reset(): void
}

/**
 * Creates an in-memory service for tests: handlers for Mock Service Worker that respond as the real service does, and a
 * chain and a clock that only your test advances.
 *
 * `pay` and the other simulations throw an error that says what to do if they are not possible.
 *
 * @throws TypeError for an unknown option, as the methods of the service do
 * @example
 * ```ts
 * import { createTestService } from '@payment-intents/testing/service'
 * import { setupServer } from 'msw/node'
 *
 * const service = createTestService()
 * const server = setupServer(...service.handlers)
 * server.listen()
 *
 * const response = await fetch(`${service.baseUrl}/v1/payment_intents`, {
 *   method: 'POST',
 *   headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
 *   body: JSON.stringify({ amount_units: 25_000_000 }),
 * })
 * const { id } = (await response.json()) as { id: string }
 * console.log(service.pay(id).status) // succeeded
 * server.close()
 * ```
 */
export function createTestService(options: TestServiceOptions = {}): TestService {
  checkOptions('createTestService', options, serviceOptions)
  const { now = new Date(), gasless = false } = options
  const baseUrl = (options.baseUrl ?? 'https://payments.test').replace(/\/$/, '')
  const merchant = merchantOf(options)
  const prefix = merchant.mode === 'testnet' ? 'sk_test_' : 'sk_live_'
  const apiKey = options.apiKey ?? prefix + '0'.repeat(49)
  const failures = createFailures()
  const begin = () => {
    const options = { startsAt: now.getTime(), baseUrl, isGasless: gasless }
    const kit = createKitService(merchant, options)
    return { kit, simulation: createSimulation(kit.records, kit.authorizations, kit.chain) }
  }
  let current = begin()

  const handler = http.all(`${baseUrl}/*`, async ({ request }) => {
    const result = await serveRequest(request, current.kit, { apiKey, takeFailure: failures.take })
    if (result === 'lost') return HttpResponse.error()
    const { status, headers, body } = result
    return new HttpResponse(body, { status, headers })
  })

  return {
    baseUrl,
    apiKey,
    handlers: [handler],
    clock: {
      now: () => new Date(current.kit.now()),
      advance(minutes) {
        current.kit.chain.advance(minutes * 60_000)
        current.kit.webhooks.sendDue()
      },
    },
    get events() {
      return current.kit.records.events.map(({ presented }) => presented)
    },
    pay: (...parameters) => current.simulation.pay(...parameters),
    underpay: (...parameters) => current.simulation.underpay(...parameters),
    payLate: (...parameters) => current.simulation.payLate(...parameters),
    confirm: (...parameters) => current.simulation.confirm(...parameters),
    reorg: (...parameters) => current.simulation.reorg(...parameters),
    transfer: (...parameters) => current.simulation.transfer(...parameters),
    payOut: (...parameters) => current.simulation.payOut(...parameters),
    confirmRefund: (...parameters) => current.simulation.confirmRefund(...parameters),
    webhooksSent: () => current.kit.webhooks.sent(),
    fail: failures.plan,
    reset() {
      failures.clear()
      current = begin()
    },
  }
}
