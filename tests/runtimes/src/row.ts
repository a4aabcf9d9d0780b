import type { PaymentIntentsErrorCode } from '@payment-intents/node'
import type { FaultPlan } from '@payment-intents/testing/faults'
import { slowness } from '../../support/patience.ts'
import type { RuntimeName } from './runtimes.ts'

/** One call for the program in the runtime to make, passed as JSON. */
export type Call = {
  readonly timeout: number
  readonly deadline?: number
  readonly idempotencyKey?: string
  /** No API key is passed, and the environment has none. */
  readonly keyless?: true
  readonly maxRetries?: number
  /** When its signal is aborted: before the call, when the server has the request, or when a back-off begins. */
  readonly abort?: 'before' | 'in_flight' | 'in_back_off'
}

export type Row = {
  readonly name: string
  readonly plan: FaultPlan
  /** The server has gone before the call, or is called by `https:`, which it does not speak. */
  readonly server?: 'gone' | 'called_by_https'
  readonly call?: Partial<Call>
  readonly ends: 'ok' | PaymentIntentsErrorCode
  /** Attempts that the client makes, and that reach the server unless `received` says otherwise. */
  readonly attempts: number
  readonly received?: number
  /** Where a runtime forces other behaviour on the client. */
  readonly except?: readonly Exception[]
  /** Milliseconds that the call takes at least, because it had to time out. */
  readonly atLeast?: number
  /** The `Retry-After` of a response: the client waits that long, and less than twice as long. */
  readonly retryAfterMs?: number
  /** Milliseconds that it would take without the limit, or the abort, that the row is about. */
  readonly lessThan?: number
  /** Runs in every runtime in the quick tier too. */
  readonly quick?: true
}

type Exception = Pick<Row, 'ends' | 'attempts'> & {
  readonly runtime: RuntimeName
  /** A sentence of the client's README. */
  readonly because: string
}

export const apiKey = 'sk_test_0123456789abcdefABCDEF'
export const clientSecret = 'pi_01_secret_3vNdPzL8sWq4'

export const intent = {
  id: 'pi_01',
  status: 'requires_payment',
  client_secret: clientSecret,
  mode: 'testnet',
  chain: 'base',
  chain_id: 84532,
  confirmations_required: 5,
  amount_units: 25_000_000,
  decimals: 6,
  token_symbol: 'USDC',
  token_address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  expected_wallet: '0x1111111111111111111111111111111111111111',
  expires_at: '2030-01-01T00:00:00.000Z',
  expires_in_minutes: 30,
  lane: 'sdk',
  metadata: { note: 'naïve ☕' },
}

/** Milliseconds for an attempt that should succeed. */
export const timeout = 4_000 * slowness
/** An attempt that never succeeds has this long. */
export const shortTimeout = 1_500 * slowness
/** Longer than any row takes that has no `Retry-After` and tests no limit. */
export const bound = 15_000 * slowness
