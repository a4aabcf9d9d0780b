import type { Address } from '@payment-intents/contract'
import type { Hex } from 'viem'
import type { SetAside } from '../db/chains/setAside.ts'
import type { Window } from './reconcile.ts'
import type { Rpc } from './rpc.ts'
import { RpcError } from './rpcError.ts'
import { complete, type Scanned, type ScannedTransaction, type Unreadable } from './scan.ts'

/**
 * Transactions that no reading waits for any more, since they could not be read: too large or too slow for the
 * provider. Each is asked for by itself, beside the readings, until it is read.
 */
export type Aside = {
  readonly entries: Map<Hex, Entry>
  /** Since when a transaction that is not set aside yet could not be read, Unix milliseconds. */
  readonly failing: Map<Hex, number>
  /** Read after all, for the next reading to record. */
  readonly arrived: ScannedTransaction[]
  isAsking: boolean
}

type Entry = SetAside & { attempts: number; askAt: number }

export function createAside(known: readonly SetAside[]): Aside {
  const entries = known.map((one) => [one.txHash, { ...one, attempts: 0, askAt: 0 }] as const)
  return { entries: new Map(entries), failing: new Map(), arrived: [], isAsking: false }
}

export function isSetAside(aside: Aside, log: { txHash: Hex; blockHash: Hex }): boolean {
  return aside.entries.get(log.txHash)?.blockHash === log.blockHash
}

/** A node may not know the receipts of a block that it has just announced. */
const failingMs = 60_000

/**
 * Of what a reading could not read, what is to be set aside: what is too large, at once, and what has failed for a
 * minute. Until then the cursor waits below it, and everything else is recorded.
 */
export function toSetAside(aside: Aside, { unreadable }: Scanned, now: number): SetAside[] {
  const failing = new Map(
    unreadable.map(({ txHash }) => [txHash, aside.failing.get(txHash) ?? now]),
  )
  aside.failing.clear()
  for (const [txHash, since] of failing) aside.failing.set(txHash, since)
  return unreadable
    .filter(
      ({ txHash, error }) =>
        error.fault === 'oversized' || now - (failing.get(txHash) ?? now) >= failingMs,
    )
    .map(toRow)
}

function toRow({ txHash, blockNumber, blockHash, error }: Unreadable): SetAside {
  return { txHash, blockNumber, blockHash, reason: error.message }
}

const firstAskMs = 10_000
const longestAskMs = 60 * 60 * 1000

/** To be called once the rows are committed. */
export function setAside(aside: Aside, rows: readonly SetAside[], now: number): void {
  for (const row of rows) {
    aside.failing.delete(row.txHash)
    aside.entries.set(row.txHash, { ...row, attempts: 0, askAt: now + firstAskMs })
  }
}

/** To be called once they are recorded. */
export function recordedAside(aside: Aside, txHashes: readonly Hex[]): void {
  for (const txHash of txHashes) aside.entries.delete(txHash)
  // More may have arrived while these were recorded.
  aside.arrived.splice(0, txHashes.length)
}

/** Has those of some blocks asked for as soon as possible. */
export function hasten(aside: Aside, { from, to }: { from: bigint; to: bigint }): void {
  for (const entry of aside.entries.values()) {
    if (entry.blockNumber >= from && entry.blockNumber <= to) entry.askAt = 0
  }
}

/** Asks for one that is due, if any; a failure only makes the pause longer. */
export async function askAgain(
  aside: Aside,
  rpc: Pick<Rpc, 'transaction' | 'receipt' | 'headerByHash'>,
  read: { wallets: ReadonlySet<Address>; window: Window },
  now: () => number,
): Promise<void> {
  if (aside.isAsking) return
  const due = [...aside.entries.values()].find((entry) => entry.askAt <= now())
  if (!due) return
  aside.isAsking = true
  due.attempts += 1
  due.askAt = now() + Math.min(longestAskMs, firstAskMs * 2 ** due.attempts)
  try {
    aside.arrived.push(await complete(rpc, due, read))
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
  } finally {
    aside.isAsking = false
  }
}
