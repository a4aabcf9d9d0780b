import {
  type Address,
  type Chain,
  type CreatePaymentIntent,
  type Event,
  chains as networks,
  type WebhookEndpoint,
} from '@payment-intents/contract'
import {
  type CreditedTransfer,
  create,
  eventsOf,
  type Fact,
  gaslessOffer,
  type Intent,
  movesMoney,
  opened,
  payableCandidates,
} from '@payment-intents/rules'
import { createAuthorizations, type Given } from './authorizations.ts'
import type { Payment } from './bindPayment.ts'
import { checkPayment } from './checkPayment.ts'
import { type Merchant, ofEachChain } from './merchant.ts'
import type { LedgerTransfer } from './present.ts'
import { receive } from './receive.ts'
import { type Acted, createRecords } from './records.ts'

type Created =
  | { type: 'created'; intent: Intent; clientSecret: string }
  | { type: 'wallet_invalid'; message: string }
  | { type: 'no_payable_amount_left' }

export type Ledger = ReturnType<typeof createLedger>

const firstBlock = 1_000

/** The service's records and the chains that it follows, in memory. */
export function createLedger(
  merchant: Merchant,
  startsAt: number,
  { gasless = false }: { gasless?: boolean } = {},
) {
  const records = createRecords(merchant, startsAt)
  const { ids, intents, transfers, announced, events, clock, seconds } = records
  const { write, apply, waitedFor } = records
  const authorizations = createAuthorizations(records, gasless)
  const secrets = new Map<string, string>()
  const x402Tokens = new Map<string, string>()
  const heads = ofEachChain(() => firstBlock)
  const listeners = new Set<() => void>()

  /** Applies the newest block to every intent, as each reading of the chain does. */
  function readHead(chain: Chain): void {
    // Every transfer here is on the canonical chain.
    const proven = new Set(transfers.keys())
    const blockNumber = BigInt(heads[chain])
    const head = { type: 'head', blockNumber, timestamp: seconds(), proven } as const
    const before = new Map(intents)
    for (const intent of intents.values()) if (intent.chain === chain) apply(intent.id, head)
    authorizations.expire(before)
    tell()
  }

  function tell(): void {
    for (const listener of [...listeners]) listener()
  }

  /** Puts a transfer into the newest block. */
  function put(payment: Payment): string {
    const id = receive(records, payment, BigInt(heads[payment.chain]))
    const transfer = transfers.get(id)
    if (transfer) authorizations.paid(transfer, payment.authorizationNonce)
    return id
  }

  function mine(chain: Chain, blocks: number): void {
    for (let mined = 0; mined < blocks; mined += 1) {
      heads[chain] += 1
      for (const payment of authorizations.due({ chain })) put(payment)
      readHead(chain)
    }
  }

  function ofX402(intentId: string): string {
    const token = x402Tokens.get(intentId) ?? ids.x402Token(intentId)
    x402Tokens.set(intentId, token)
    return token
  }

  function decide(request: CreatePaymentIntent) {
    return create(request, JSON.stringify(request.metadata ?? {}), merchant, {
      newId: (createdAt) => ids.next('pi', createdAt),
      salt: ids.hash(),
      clock: () => clock.now,
      confirmations: merchant.confirmations,
    })
  }

  return {
    merchant,
    events: events as readonly Event[],
    /** In order of creation. */
    get intents(): readonly Intent[] {
      return [...intents.values()]
    },
    /** In the order they were received. */
    get transfers(): readonly LedgerTransfer[] {
      return [...transfers.values()]
    },
    /** Unix milliseconds. */
    now: () => clock.now,
    find: (intentId: string) => intents.get(intentId),
    /** Throws where there is no such intent. */
    secretOf(intentId: string): string {
      for (const [secret, id] of secrets) if (id === intentId) return secret
      throw new Error(`There is no payment intent ${intentId}.`)
    },
    findBySecret: (clientSecret: string) => intents.get(secrets.get(clientSecret) ?? ''),
    isInFlight: authorizations.isInFlight,
    /** Takes what a payer has signed; the next block has its transfer. */
    async authorize(intentId: string, given: Given) {
      const handedIn = await authorizations.handIn(intentId, given)
      tell()
      return handedIn
    },
    authorizationBy: authorizations.by,
    /** Whether payers can hand in what they have signed. */
    isGasless: gasless,
    /** Opens the intent's x402 link; null without one. */
    x402TokenOf: (intentId: string) => (gasless ? ofX402(intentId) : null),
    findByX402Token: (token: string) => {
      const intent = intents.get(token.split('_x402_')[0] ?? '')
      return gasless && intent && ofX402(intent.id) === token ? intent : undefined
    },
    checkPayment: (request: CreatePaymentIntent, header: string) =>
      checkPayment(decide(request), header, { now: clock.now, check: authorizations.check }),
    /** What the checkout gets beside an intent. */
    around: (intent: Intent) => ({
      authorization: authorizations.of(intent.id),
      gasless: authorizations.isOffered(intent.id) ? gaslessOffer(intent, clock.now) : null,
      ownAddress:
        !Object.values(merchant.wallets).includes(intent.wallet) &&
        !waitedFor().some(({ id, chain, wallet }) => {
          return id !== intent.id && chain === intent.chain && wallet === intent.wallet
        }),
      nearMisses: [...transfers.values()].toReversed().filter(({ suggestions, ...transfer }) => {
        const isNear = suggestions.some(
          ({ intentId, match }) => intentId === intent.id && match !== 'payer',
        )
        return isNear && transfer.intentId === null && !transfer.orphaned
      }),
    }),
    /** Confirmations of a transfer: 1 in the newest block. */
    depthOf: ({ chain }: Intent, { blockNumber }: CreditedTransfer) =>
      heads[chain] - Number(blockNumber) + 1,

    /** Why a request names no wallet that can be paid; null if it does. */
    walletFault(request: CreatePaymentIntent): string | null {
      const decided = decide(request)
      return decided.type === 'wallet_invalid' ? decided.message : null
    },

    /** @param hasPayment it comes with its payment, and reserves no amount */
    create(request: CreatePaymentIntent, hasPayment = false): Created {
      const decided = decide(request)
      if (decided.type === 'wallet_invalid') return decided
      if (decided.type !== 'created') throw new Error('Both chains are followed.')
      const { terms } = decided
      const { id } = terms
      const here = waitedFor().filter(
        ({ chain, wallet }) => chain === terms.chain && wallet === terms.wallet,
      )
      const taken = new Set(here.flatMap(({ amount, payable }) => [amount, payable]))
      const free = hasPayment
        ? undefined
        : firstFree(payableCandidates(terms.amount, Math.random), taken)
      if (free === undefined && terms.lane === 'manual') return { type: 'no_payable_amount_left' }
      const referenceOnly = free === undefined
      const intent = opened(terms, { payable: free ?? terms.amount, referenceOnly })
      const clientSecret = ids.clientSecret(id)
      intents.set(id, intent)
      secrets.set(clientSecret, id)
      for (const event of eventsOf(intent, ['payment_intent.created'])) write(event)
      return { type: 'created', intent, clientSecret }
    },

    /** Returns the state right after the act, before the chain is read again. */
    act(intentId: string, fact: Extract<Fact, { type: 'cancel' | 'accept' }>): Acted {
      const isInFlight = authorizations.isInFlight(intentId)
      const acted = apply(intentId, fact.type === 'cancel' ? { ...fact, isInFlight } : fact)
      if (acted.type === 'done') readHead(acted.intent.chain)
      return acted
    },

    /** As `act`. */
    assign(transferId: string, intentId: string): Acted {
      const intent = intents.get(intentId)
      const transfer = transfers.get(transferId)
      if (!intent || !transfer) return { type: 'not_found' }
      if (transfer.intentId === intentId) return { type: 'done', intent }
      if (transfer.orphaned) {
        return { type: 'refused', message: 'The chain has taken this transfer back.' }
      }
      if (transfer.chain !== intent.chain) {
        return { type: 'refused', message: 'It came in another token, or on another chain.' }
      }
      if (transfer.intentId) {
        if (intents.get(transfer.intentId)?.wallet !== intent.wallet) {
          const message = 'A credited transfer moves within one wallet only.'
          return { type: 'refused', message }
        }
        const moved = apply(transfer.intentId, { type: 'transfer_moved', transferId })
        if (moved.type === 'refused') return moved
      }
      const credited = { intentId, boundBy: 'assignment', reason: null, suggestions: [] } as const
      const assigned = { ...transfer, ...credited }
      transfers.set(transferId, assigned)
      const acted = apply(intentId, { type: 'transfer_seen', transfer: assigned })
      readHead(intent.chain)
      return acted
    },

    /** Stores the account that a checkout named: a claim, which only adds suggestions. */
    announce(intentId: string, payer: Address): void {
      announced.set(intentId, (announced.get(intentId) ?? new Set()).add(payer))
    },

    /** Makes a transfer in a new block; null if no intent waits for one to that wallet, or it moves no money. */
    transfer(payment: Payment): LedgerTransfer | null {
      const { chain, to } = payment
      if (!movesMoney(payment)) return null
      const waiting = waitedFor()
      // Wallets of the other chain are watched too, since payers mistake one chain for the other.
      const isFollowed = waiting.some((intent) => intent.chain === chain)
      if (!isFollowed || !waiting.some(({ wallet }) => wallet === to)) return null
      heads[chain] += 1
      const id = put(payment)
      readHead(chain)
      return transfers.get(id) ?? null
    },

    mine,

    /** Writes the event of a disabled webhook endpoint; the test service has no endpoints. */
    loseEndpoint(): void {
      const endpoint: WebhookEndpoint = {
        id: ids.next('we', clock.now),
        url: 'https://shop.example.com/webhooks',
        description: '',
        enabled_events: null,
        mode: merchant.mode,
        status: 'disabled',
        disabled_reason: 'gone',
        failing_since: null,
        created_at: new Date(clock.now).toISOString(),
      }
      const object = JSON.stringify(endpoint)
      write({ type: 'webhook_endpoint.disabled', sequence: 1, object })
    },

    /** Replaces the blocks from this one on by as many empty ones. */
    reorg(chain: Chain, fromBlock: number): void {
      for (const transfer of transfers.values()) {
        if (transfer.chain !== chain || transfer.blockNumber < BigInt(fromBlock)) continue
        if (transfer.orphaned) continue
        transfers.set(transfer.id, { ...transfer, orphaned: true })
        if (transfer.intentId) {
          apply(transfer.intentId, { type: 'transfer_orphaned', transferId: transfer.id })
        }
        authorizations.takenBack(transfer)
      }
      readHead(chain)
    },

    /** Advances the clock, then each chain by one block. */
    advance(milliseconds: number): void {
      clock.now += milliseconds
      for (const { chain, mode } of networks) if (mode === merchant.mode) mine(chain, 1)
    },

    /** Calls the listener after every change. Returns a function that removes it. */
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

function firstFree(
  batches: Iterable<readonly bigint[]>,
  taken: ReadonlySet<bigint>,
): bigint | undefined {
  for (const candidates of batches) {
    const free = candidates.find((payable) => !taken.has(payable))
    if (free !== undefined) return free
  }
  return undefined
}
