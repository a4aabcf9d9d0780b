import {
  type Address,
  type Chain,
  type CreatePaymentIntent,
  type Event,
  type EventType,
  chains as networks,
  type WebhookEndpoint,
} from '@payment-intents/contract'
import { bind, type Payment } from './bind.ts'
import { type Creation, create } from './create.ts'
import { createIds } from './ids.ts'
import type { Intent, LedgerTransfer } from './intent.ts'
import type { Merchant } from './merchant.ts'
import { presentRetrieved, presentTransfer } from './present.ts'
import { type Fact, transition } from './transition.ts'

export type Acted =
  | { type: 'done'; intent: Intent }
  | { type: 'not_found' }
  | { type: 'refused'; message: string }

/** The service's records and the chains that it follows, in memory. */
export type Ledger = {
  readonly merchant: Merchant
  /** In the order of their creation. */
  readonly intents: readonly Intent[]
  readonly events: readonly Event[]
  /** In the order they were seen. */
  readonly transfers: readonly LedgerTransfer[]
  /** Unix milliseconds. */
  now(): number
  find(intentId: string): Intent | undefined
  /** Confirmations of a transfer: 1 in the newest block. */
  depthOf(transfer: LedgerTransfer): number
  create(request: CreatePaymentIntent): Creation
  /** Answers as things stand at once; what the chain adds to it comes right after. */
  act(intentId: string, fact: Extract<Fact, { type: 'cancel' | 'accept' }>): Acted
  /** The same. */
  assign(transferId: string, intentId: string): Acted
  /** Remembers who is about to pay a reference-only intent. */
  announce(intentId: string, payer: Address): void
  /** A transfer in a block of its own; null when nobody waits for one to that wallet. */
  transfer(payment: Payment): LedgerTransfer | null
  mine(chain: Chain, blocks: number): void
  /** A webhook endpoint, which there are no others of here, says that it is gone. */
  loseEndpoint(): void
  /** Replaces the blocks from this one on by as many empty ones. */
  reorg(chain: Chain, fromBlock: number): void
  /** Moves the clock, and then each chain by one block. */
  advance(milliseconds: number): void
  /** Calls back after every change, until the function that it returns is called. */
  subscribe(listener: () => void): () => void
}

/** How long after the deadline a payment is still recognised. */
const lateWindowSeconds = 24 * 60 * 60
const firstBlock = 1_000

export function createLedger(merchant: Merchant, startsAt: number): Ledger {
  const ids = createIds()
  const intents = new Map<string, Intent>()
  const transfers = new Map<string, LedgerTransfer>()
  const announced = new Map<string, Set<Address>>()
  const heads: Record<Chain, number> = { base: firstBlock, polygon: firstBlock }
  const events: Event[] = []
  const listeners = new Set<() => void>()
  let now = startsAt

  const seconds = () => Math.floor(now / 1000)
  const isWaitedFor = ({ expiresAt }: Intent) => expiresAt + lateWindowSeconds >= seconds()
  const waitedFor = () => [...intents.values()].filter(isWaitedFor)

  function write(type: EventType, sequence: number, object: Record<string, unknown>): void {
    const { mode } = merchant
    const created_at = new Date(now).toISOString()
    const id = ids.next('evt', now)
    events.push({ id, type, created_at, mode, sequence, data: { object } } as Event)
  }

  function apply(intentId: string, fact: Fact): Acted {
    const intent = intents.get(intentId)
    if (!intent) return { type: 'not_found' }
    const outcome = transition(intent, fact)
    if (outcome.type === 'refused') return outcome
    if (outcome.type === 'unchanged') return { type: 'done', intent }
    intents.set(intentId, outcome.intent)
    const first = outcome.intent.sequence - outcome.events.length + 1
    for (const [index, type] of outcome.events.entries()) {
      write(type, first + index, presentRetrieved(outcome.intent))
    }
    return { type: 'done', intent: outcome.intent }
  }

  /** Every intent learns of the newest block, as after each reading of the chain. */
  function readHead(chain: Chain): void {
    const head = { type: 'head', blockNumber: heads[chain], timestamp: seconds() } as const
    for (const intent of intents.values()) if (intent.chain === chain) apply(intent.id, head)
    for (const listener of [...listeners]) listener()
  }

  function mine(chain: Chain, blocks: number): void {
    for (let mined = 0; mined < blocks; mined += 1) {
      heads[chain] += 1
      readHead(chain)
    }
  }

  function loseEndpoint(): void {
    write('webhook_endpoint.disabled', 1, {
      id: ids.next('we', now),
      url: 'https://shop.example.com/webhooks',
      description: '',
      enabled_events: null,
      mode: merchant.mode,
      status: 'disabled',
      disabled_reason: 'gone',
      failing_since: null,
      created_at: new Date(now).toISOString(),
    } satisfies WebhookEndpoint)
  }

  return {
    merchant,
    events,
    loseEndpoint,
    get intents() {
      return [...intents.values()]
    },
    get transfers() {
      return [...transfers.values()]
    },
    now: () => now,
    find: (intentId) => intents.get(intentId),
    depthOf: ({ chain, blockNumber }) => heads[chain] - blockNumber + 1,

    create(request) {
      const id = ids.next('pi', now)
      const created = create(request, merchant, {
        id,
        clientSecret: ids.clientSecret(id),
        salt: ids.hash(),
        now,
        taken: (chain, wallet) => {
          const here = waitedFor().filter(
            (intent) => intent.chain === chain && intent.wallet === wallet,
          )
          return new Set(
            here.flatMap(({ referenceOnly, payable }) => (referenceOnly ? [] : payable)),
          )
        },
      })
      if (created.type !== 'created') return created
      intents.set(id, created.intent)
      write('payment_intent.created', 1, presentRetrieved(created.intent))
      return created
    },

    act(intentId, fact) {
      const acted = apply(intentId, fact)
      if (acted.type === 'done') readHead(acted.intent.chain)
      return acted
    },

    assign(transferId, intentId) {
      const intent = intents.get(intentId)
      const transfer = transfers.get(transferId)
      if (!intent || !transfer) return { type: 'not_found' }
      if (transfer.intentId === intentId) return { type: 'done', intent }
      if (transfer.intentId) {
        return { type: 'refused', message: `It is credited to ${transfer.intentId} already.` }
      }
      if (transfer.orphaned) {
        return { type: 'refused', message: 'The chain has taken this transfer back.' }
      }
      if (transfer.chain !== intent.chain) {
        return { type: 'refused', message: 'It came in another token, or on another chain.' }
      }
      const assigned = { ...transfer, intentId, boundBy: 'assignment', reason: null } as const
      transfers.set(transferId, assigned)
      const acted = apply(intentId, { type: 'seen', transfer: assigned })
      readHead(intent.chain)
      return acted
    },

    announce(intentId, payer) {
      if (!intents.get(intentId)?.referenceOnly) return
      announced.set(intentId, (announced.get(intentId) ?? new Set()).add(payer))
    },

    transfer(payment) {
      const { chain, from, to, amount } = payment
      const waiting = waitedFor()
      // Wallets of the other chain are watched too, since payers mistake one chain for the other.
      const isFollowed = waiting.some((intent) => intent.chain === chain)
      if (!isFollowed || !waiting.some(({ wallet }) => wallet === to)) return null
      heads[chain] += 1
      const standing = Object.values(merchant.wallets)
      const binding = bind(payment, { intents: waiting, standing, announced })
      const bound = binding.type === 'bound'
      const transfer: LedgerTransfer = {
        id: ids.next('tr', now),
        chain,
        txHash: ids.hash(),
        blockNumber: heads[chain],
        blockTimestamp: seconds(),
        from,
        to,
        amount,
        seenAt: now,
        intentId: bound ? binding.intentId : null,
        boundBy: bound ? binding.by : null,
        reason: bound ? null : binding.reason,
        orphaned: false,
      }
      transfers.set(transfer.id, transfer)
      if (bound) apply(binding.intentId, { type: 'seen', transfer })
      else write('transfer.unmatched', 1, presentTransfer(transfer, merchant.mode))
      readHead(chain)
      return transfer
    },

    mine,

    reorg(chain, fromBlock) {
      for (const transfer of transfers.values()) {
        if (transfer.chain !== chain || transfer.blockNumber < fromBlock) continue
        if (transfer.orphaned) continue
        transfers.set(transfer.id, { ...transfer, orphaned: true })
        if (transfer.intentId) {
          apply(transfer.intentId, { type: 'orphaned', transferId: transfer.id })
        }
      }
      readHead(chain)
    },

    advance(milliseconds) {
      now += milliseconds
      for (const { chain, mode } of networks) if (mode === merchant.mode) mine(chain, 1)
    },

    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
