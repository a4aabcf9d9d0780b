import type {
  Address,
  Chain,
  EventType,
  endpoints,
  Mode,
  Operation,
  RequestOf,
} from '@payment-intents/contract'
import type { Hex } from 'viem'
import type { AttentionStore } from './attention/store.ts'
import type { PreviewAuthorization } from './authorizations/previewAuthorization.ts'
import type { AuthorizationStore, SimulateTransfer } from './authorizations/store.ts'
import type { EventStore } from './events/store.ts'
import type { JsonBody } from './http/json.ts'
import type { IdPrefix } from './lib/idPrefix.ts'
import type { Merchant } from './payment-intents/creation/newIntent.ts'
import type { Keccak256 } from './payment-intents/creation/reference.ts'
import type { Network } from './payment-intents/present.ts'
import type { PaymentIntentStore } from './payment-intents/store.ts'
import type { PaymentLinkStore } from './payment-links/store.ts'
import type { CheckAccountSignature, ReadTransaction, RefundStore } from './refunds/store.ts'
import type { ReturnOriginStore } from './return-origins/store.ts'
import type { SettingsStore } from './settings/store.ts'
import type { SummaryStore } from './summary/store.ts'
import type { TransferStore } from './transfers/store.ts'
import type { WebhookEndpointStore } from './webhook-endpoints/store.ts'

/** The merchant of an API key, and the key's mode: the scope of all that a request reads and writes. */
export type Actor = { readonly merchantId: string; readonly mode: Mode }

/** A merchant's request, authenticated and parsed by the table of endpoints. */
export type ServiceRequest<Name extends Operation> = RequestOf<Name> & {
  readonly merchant: Merchant
  readonly actor: Actor
  /** A header by its lower-case name; null if the request has none. */
  readonly header: (name: string) => string | null
  /** The body as sent. */
  readonly source: JsonBody
  /** The `metadata[key]=value` parameters of the query, as sent. */
  readonly metadataFilter: readonly (readonly [key: string, value: string])[]
}

export type ServiceResponse = {
  /** JSON text. */
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
  /** The events that the request wrote on a chain, for logs and metrics. */
  readonly written?: { readonly chainId: number; readonly events: readonly WrittenEvent[] }
}

/** The response of a streaming endpoint. */
export type StreamedResponse = {
  readonly headers: Readonly<Record<string, string>>
  /** Its text. Nothing is read before it is consumed; a failure while it streams must not look like its end. */
  readonly pieces: AsyncGenerator<string>
}

/** An event as it was written; about an intent, a transfer or a refund. */
export type WrittenEvent = {
  readonly type: EventType
  readonly merchantId: string
  readonly mode: Mode
  readonly intentId: string | null
  readonly transferId: string | null
  readonly refundId: string | null
  /** JSON text of `data.object`. */
  readonly object: string
}

/** Executes a merchant's request. Throws an `HttpError` for each error of the table. */
export type Handler<Name extends Operation> = (
  service: Service,
  request: ServiceRequest<Name>,
) => Promise<Streaming<Name> extends true ? StreamedResponse : ServiceResponse>

type Streaming<Name extends Operation> = (typeof endpoints)[Name] extends {
  readonly streams: string
}
  ? true
  : false

/** All that handlers need of their server. Handlers read no clock, database, chain or random source of their own. */
export type Service = {
  readonly store: Store
  readonly secrets: Secrets
  /** The address at which merchants and pages reach the service, without a trailing slash. */
  readonly publicUrl: string
  /** Unix milliseconds. */
  readonly now: () => number
  /** A chain's clock in Unix milliseconds; `earliest` is the least that it can show. */
  readonly clock: (chainId: number) => { readonly now: number; readonly earliest: number }
  /** A new id, which sorts by its time in Unix milliseconds. */
  readonly newId: (prefix: IdPrefix, time: number) => string
  /** 32 random bytes. */
  readonly randomSalt: () => Hex
  /** `confirmations_required` of each chain that is followed in a mode, for merchants without their own. */
  readonly confirmations: (mode: Mode) => { readonly [chain in Chain]?: number }
  /** A chain's parameters for wallets; undefined if the service does not follow it. */
  readonly network: (chainId: number) => Network | undefined
  readonly gasless: Gasless
  readonly simulateTransfer: SimulateTransfer
  readonly readTransaction: ReadTransaction
  /** The USDC of an account in units; null if no provider of the chain responds. */
  readonly readBalance: (chainId: number, account: Address) => Promise<bigint | null>
  readonly checkAccountSignature: CheckAccountSignature
  /** Whether an authorization would be accepted for an intent that is not stored yet. */
  readonly previewAuthorization: PreviewAuthorization
  /** Why no webhook can be sent to a URL's host; null if it can. */
  readonly refuseWebhookHost: (url: URL) => string | null
  /** Whether webhooks may go to this `http:` URL even in live mode, such as to a host of the operator's own network. */
  readonly allowsPlainWebhook: (url: URL) => boolean
  /** Absent: viem's. */
  readonly keccak256?: Keccak256
}

/** Data, by noun. */
export type Store = {
  readonly paymentIntents: PaymentIntentStore
  readonly transfers: TransferStore
  readonly attention: AttentionStore
  readonly events: EventStore
  readonly webhookEndpoints: WebhookEndpointStore
  readonly authorizations: AuthorizationStore
  readonly refunds: RefundStore
  readonly paymentLinks: PaymentLinkStore
  readonly settings: SettingsStore
  readonly returnOrigins: ReturnOriginStore
  readonly summary: SummaryStore
}

/** Derives the secrets that open or pay an intent or sign webhooks. No store keeps any of them. */
type Secrets = {
  /** Names the key that new secrets are derived with. */
  readonly currentKey: () => string
  readonly clientSecret: (intentId: string, key: string) => string
  readonly x402Token: (intentId: string, key: string) => string
  readonly webhookSecret: (endpointId: string, version: number, key: string) => string
  /** Opens the page of a refund's payer. */
  readonly refundToken: (refundId: string) => string
  /** A new token of the hosted page, with its hash. */
  readonly newHandoffToken: () => { readonly token: string; readonly hash: string }
}

/** Payments without gas, if the service can offer them. Both functions return from memory. */
export type Gasless = {
  /** Whether a relayer is configured for the chain, even if it cannot pay for gas now. */
  isConfigured(chainId: number): boolean
  /**
   * Whether an authorization of this merchant's payer would be submitted now: the relayer can pay for the gas, the
   * token's EIP-712 domain is the expected one, and no limit of gas is reached.
   */
  isOffered(payment: { readonly chainId: number; readonly merchantId: string }): boolean
}
