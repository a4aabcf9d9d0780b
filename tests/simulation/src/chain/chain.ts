import type { Address } from '@payment-intents/contract'
import type { Header } from '@payment-intents/server/src/store/chains/blocks.ts'
import type { Hex } from 'viem'
import { type Random, random, randomHash } from '../plan/random.ts'
import type { Part, Transaction } from './transaction.ts'

/** A log of a block. `moment` orders all blocks and creations of a world by when they came to be. */
export type Block = Header & {
  readonly moment: number
  readonly transactions: readonly Transaction[]
  readonly logs: readonly Log[]
}

export type Log = {
  readonly transaction: Transaction
  readonly logIndex: number
  readonly from: Address
  readonly to: Address
  readonly amount: bigint
  readonly lookalike: boolean
  /** The nonce of the payer's authorization, in the log right before. */
  readonly nonce: Hex | null
}

/** Blocks from the first to the head, each the parent of the next. */
export type Branch = readonly Block[]

/** The outcome of the transactions of replaced blocks. */
export type ReplacedTransactions = 'same_order' | 'shuffled' | 'later' | 'dropped' | 'mixed'

export type Chain = {
  readonly canonical: Branch
  /** The branch that was replaced last, as it was. */
  readonly stale: Branch | null
  /** Every block there ever was. */
  readonly blocks: ReadonlyMap<Hex, Block>
  /** Blocks that were replaced at some time, even if they returned. */
  readonly replaced: ReadonlySet<Hex>
  /** When a block last became part of the chain. */
  since(block: Block): number
  readonly head: Block
  send(transaction: Transaction): void
  /** Mines this many blocks, the first with the transactions sent, `jump` seconds after its parent. */
  mine(count: number, jump?: number): void
  /** Replaces the newest `depth` blocks by `depth + 1` blocks. */
  reorg(depth: number, outcome: ReplacedTransactions): void
  /** Goes back to the branch that was replaced last, grown longer than the present branch. */
  revive(): void
  /** The next moment; for what happens outside the chain. */
  advanceClock(): number
}

/** A branch that was left longer ago does not come back: no node keeps so many headers. */
export const deepestFork = 200n

const firstTimestamp = 1_900_000_000

/** A chain in memory, with forks. Sent transactions change nothing about its blocks but their contents. */
export function createChain(seed: number): Chain {
  const dice = random(seed, 'chain')
  const blocks = new Map<Hex, Block>()
  const replaced = new Set<Hex>()
  const returned = new Map<Hex, number>()
  let moment = 0
  let born = 0
  let pool: Transaction[] = []
  let stale: Branch | null = null

  function grow(branch: Block[], transactions: readonly Transaction[], timestamp: number): void {
    const parent = branch.at(-1)
    born += 1
    moment += 1
    let logIndex = dice.int(0, 3)
    const logs: Log[] = []
    for (const transaction of transactions) {
      for (const part of transaction.parts) {
        if (!part.moved || !isTaken(part, { branch, logs, timestamp })) continue
        logIndex += 1 + transaction.gap
        // The log of an authorization has an index too.
        if (part.nonce) logIndex += 1
        const { from, to, amount, lookalike, nonce } = part
        logs.push({ transaction, logIndex, from, to, amount, lookalike, nonce })
      }
    }
    const block: Block = {
      number: BigInt(branch.length),
      hash: randomHash(seed, 'block', born),
      parentHash: parent?.hash ?? randomHash(seed, 'before'),
      timestamp,
      moment,
      transactions,
      logs,
    }
    blocks.set(block.hash, block)
    branch.push(block)
  }

  let canonical: Block[] = []
  grow(canonical, [], firstTimestamp)
  const head = () => canonical.at(-1) as Block
  const nextTimestamp = (branch: Branch) => (branch.at(-1) as Block).timestamp + dice.int(1, 3)

  /** The transactions of the old branch that the new branch lacks. */
  function orphanedTransactions(old: Branch, current: Branch, from: number): Transaction[] {
    const there = new Set(current.slice(from).flatMap((block) => block.transactions))
    return old
      .slice(from)
      .flatMap((block) => block.transactions)
      .filter((transaction) => !there.has(transaction))
  }

  return {
    get canonical() {
      return canonical
    },
    get stale() {
      return stale
    },
    blocks,
    replaced,
    since: (block) => returned.get(block.hash) ?? block.moment,
    get head() {
      return head()
    },
    advanceClock() {
      moment += 1
      return moment
    },
    send(transaction) {
      pool.push(transaction)
    },
    mine(count, jump = 0) {
      for (let mined = 0; mined < count; mined += 1) {
        grow(canonical, pool, nextTimestamp(canonical) + (mined === 0 ? jump : 0))
        pool = []
      }
    },
    reorg(depth, outcome) {
      const old = canonical
      const ancestor = Math.max(0, old.length - 1 - depth)
      canonical = old.slice(0, ancestor + 1)
      for (const block of old.slice(ancestor + 1)) replaced.add(block.hash)
      const orphaned = orphanedTransactions(old, [], ancestor + 1)
      const plan = place(orphaned, old.length - ancestor, outcome, ({ hash }) =>
        random('fate', hash, born),
      )
      pool.push(...plan.later)
      for (const [index, transactions] of plan.blocks.entries()) {
        // The clock of a chain does not go back: a height keeps its time, or gets a later time.
        const before = old[ancestor + 1 + index]?.timestamp ?? 0
        const timestamp = Math.max(nextTimestamp(canonical), before + dice.int(0, 1))
        grow(canonical, transactions, timestamp)
      }
      stale = old
    },
    revive() {
      if (!stale) return
      const old = canonical
      const fork = old.findIndex((block, index) => stale?.[index]?.hash !== block.hash)
      if (fork < 0 || old.length - fork > deepestFork) return
      canonical = [...stale]
      moment += 1
      for (const block of old.slice(fork)) replaced.add(block.hash)
      for (const block of canonical.slice(fork)) returned.set(block.hash, moment)
      const orphaned = orphanedTransactions(old, canonical, fork)
      const mined = new Set(canonical.slice(fork).flatMap((block) => block.transactions))
      pool = [...pool, ...orphaned].filter((transaction) => !mined.has(transaction))
      while (canonical.length <= old.length) {
        const before = old[canonical.length]?.timestamp ?? 0
        grow(canonical, pool, Math.max(nextTimestamp(canonical), before))
        pool = []
      }
      stale = old
    },
  }
}

/** Whether the token takes an authorization: in time, and its nonce for the first time. */
function isTaken(
  { validBefore, from, nonce }: Part,
  block: { branch: Branch; logs: readonly Log[]; timestamp: number },
): boolean {
  if (validBefore === undefined) return true
  const isIt = (log: Log) => log.nonce === nonce && log.from === from
  const isUsed = block.logs.some(isIt) || block.branch.some(({ logs }) => logs.some(isIt))
  return block.timestamp < validBefore && !isUsed
}

function place(
  orphaned: readonly Transaction[],
  count: number,
  outcome: ReplacedTransactions,
  diceOf: (transaction: Transaction) => Random,
): { blocks: Transaction[][]; later: Transaction[] } {
  const blocks: Transaction[][] = Array.from({ length: count }, () => [])
  const later: Transaction[] = []
  let lowest = 0
  for (const transaction of orphaned) {
    const dice = diceOf(transaction)
    const its = outcome === 'mixed' ? dice.pick(replacements) : outcome
    if (its === 'later') later.push(transaction)
    if (its === 'shuffled') dice.pick(blocks).splice(0, 0, transaction)
    if (its === 'same_order') {
      lowest = dice.int(lowest, count - 1)
      blocks[lowest]?.push(transaction)
    }
  }
  return { blocks, later }
}

const replacements = ['same_order', 'shuffled', 'later', 'dropped'] as const
