import { type AttentionType, type Chain, type Event, windows } from '@payment-intents/contract'
import {
  type Applied as AppliedFacts,
  applyWithPlaces,
  attentionOfIntent,
  type EarlierAuthorization,
  type EarlierCreation,
  type Fact,
  holdsPlace,
  type Intent,
  type IntentEvent,
  type LinkPayer,
  type ListedTransfer,
  type PaymentLink,
  type Picture,
  type Places,
  presentEvent,
  type Refund,
  type Refusal,
  type StoredAuthorization,
  type StoredEndpoint,
  type StoredEvent,
  type StoredReturnOrigin,
} from '@payment-intents/core'
import type { Merchant } from '../merchant.ts'
import { createIds } from './createIds.ts'

/** An event, with its intent or endpoint. */
export type RecordedEvent = StoredEvent & {
  /** Null for an event about a transfer or a webhook endpoint. */
  readonly intentId: string | null
  /** The event in the API's form. */
  readonly presented: Event
}

/** A USDC transfer to a watched wallet. */
export type RecordedTransfer = ListedTransfer & { readonly chain: Chain }

/** An authorization that a payer submitted. */
export type RecordedAuthorization = StoredAuthorization &
  EarlierAuthorization & {
    /** The seller's request that the payment is assigned to. */
    readonly assignedTo: string | null
    /** Unix milliseconds; null while it is in flight. */
    readonly endedAt: number | null
  }

/** The stored response of an idempotency key. */
export type RecordedCreation = Extract<EarlierCreation, { type: 'replayed' }> & {
  readonly fingerprint: string
  /** Unix milliseconds. */
  readonly at: number
}

export type Applied =
  | { readonly type: 'done'; readonly intent: Intent }
  | { readonly type: 'not_found' }
  | ({ readonly type: 'refused' } & Refusal)

export type Records = ReturnType<typeof createRecords>

/** The service's data, its clock, and the listeners to changes. */
export function createRecords(initial: Merchant, startsAt: number) {
  // A copy, since settings change: another service of the same options starts with the initial settings.
  const merchant = { ...initial }
  const ids = createIds()
  /** In order of creation. */
  const intents = new Map<string, Intent>()
  /** In the order they were received. */
  const transfers = new Map<string, RecordedTransfer>()
  /** In order of creation. */
  const refunds = new Map<string, Refund>()
  /** In order of creation. */
  const links = new Map<string, PaymentLink>()
  const returnOrigins: StoredReturnOrigin[] = initial.returnOrigins.map((origin) => {
    return { id: ids.next('ro', startsAt), origin, createdAt: new Date(startsAt) }
  })
  /** By link. */
  const pictures = new Map<string, Picture>()
  /** Payers who created the intents of links on their pages. */
  const visits = new Map<string, LinkPayer>()
  /** By account and nonce, in the order in which they were submitted last. */
  const authorizations = new Map<string, RecordedAuthorization>()
  /** The accounts that each intent's checkout announced. */
  const announced = new Map<string, Set<string>>()
  const creations = new Map<string, RecordedCreation>()
  const events: RecordedEvent[] = []
  const endpoints = new Map<string, StoredEndpoint>()
  /** Intents and refunds that need attention: the reason, and since when, in Unix milliseconds. */
  const attention = new Map<string, { readonly type: AttentionType; readonly since: number }>()
  /** Unix milliseconds. */
  const clock = { now: startsAt }
  const seconds = () => Math.floor(clock.now / 1000)
  const listeners = new Set<() => void>()
  const eventListeners = new Set<(event: RecordedEvent) => void>()

  function notify(): void {
    for (const listener of [...listeners]) listener()
  }

  function write({ type, sequence, object }: IntentEvent, intentId: string | null): RecordedEvent {
    const stored: StoredEvent = {
      ...{ id: ids.next('evt', clock.now), type, sequence, object, mode: merchant.mode },
      createdAt: new Date(clock.now),
    }
    const event = { ...stored, intentId, presented: JSON.parse(presentEvent(stored)) as Event }
    events.push(event)
    for (const listener of eventListeners) listener(event)
    notify()
    return event
  }

  /** Whether an authorization may still pay an intent. */
  const isInFlight = (intentId: string) =>
    [...authorizations.values()].some(
      (authorization) =>
        authorization.intentId === intentId && authorization.status === 'in_flight',
    )

  const isHolder = (intent: Intent) => holdsPlace(intent, isInFlight(intent.id))

  /** The number of intents that hold a place of a link. */
  const takenPlaces = (linkId: string) =>
    [...intents.values()].filter(
      (candidate) => candidate.paymentLink === linkId && isHolder(candidate),
    ).length

  /** The places of the link of an intent. */
  function placesOf(intentId: string): Places {
    const intent = intents.get(intentId)
    const max = links.get(intent?.paymentLink ?? '')?.maxPayments ?? null
    if (!intent || intent.paymentLink === null || max === null)
      return { isHolding: false, remaining: null }
    const isHolding = isHolder(intent)
    return {
      isHolding,
      remaining: isHolding ? null : Math.max(0, max - takenPlaces(intent.paymentLink)),
    }
  }

  /** Sets or clears the reason why an object needs attention. */
  function note(id: string, type: AttentionType | null): void {
    if (type === null) attention.delete(id)
    else attention.set(id, { type, since: clock.now })
  }

  function saveIntent(intent: Intent): void {
    const { id } = intent
    intents.set(id, intent)
    const type = attentionOfIntent(intent)
    if (type !== (attention.get(id)?.type ?? null)) note(id, type)
  }

  /** Saves the effect of facts on an intent. */
  function save(applied: AppliedFacts): RecordedEvent[] {
    const { id } = applied.intent
    saveIntent(applied.intent)
    return applied.events.map((event) => write(event, id))
  }

  return {
    ...{
      merchant,
      ids,
      intents,
      transfers,
      refunds,
      links,
      returnOrigins,
      pictures,
      visits,
      authorizations,
      announced,
      creations,
      events,
      attention,
      endpoints,
      clock,
    },
    ...{ seconds, write, save, saveIntent, note, isInFlight, placesTaken: takenPlaces, placesOf },
    /** Returns the state right after the fact, before the chain is read again. */
    apply(intentId: string, fact: Fact): Applied {
      const before = intents.get(intentId)
      if (!before) return { type: 'not_found' }
      const applied = applyWithPlaces(before, [fact], placesOf(intentId))
      if (applied.refused !== null) return { type: 'refused', ...applied.refused }
      save(applied)
      return { type: 'done', intent: applied.intent }
    },
    /** The intents whose late window is open. */
    waitedFor: (): Intent[] =>
      [...intents.values()].filter(({ expiresAt }) => expiresAt + windows.late >= seconds()),
    /** Calls the listeners. */
    notify,
    /** Calls the listener after every change. Returns a function that removes it. */
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    onEvent: (listener: (event: RecordedEvent) => void) => void eventListeners.add(listener),
  }
}
