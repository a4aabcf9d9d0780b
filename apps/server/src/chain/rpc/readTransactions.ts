import type { Hex } from 'viem'
import type { Rpc, RpcReceipt, RpcTransaction } from './rpc.ts'
import { RpcError } from './rpcError.ts'

/** A transaction, and the block of a log of it that a provider returned. */
export type TransactionLocation = {
  readonly txHash: Hex
  readonly blockHash: Hex
  /** Whether its receipt was too large or too slow for a poll. */
  readonly isLarge?: boolean
}

export type TransactionResult =
  /** `null`: the provider does not know it. */
  | { readonly type: 'read'; readonly sent: RpcTransaction; readonly receipt: RpcReceipt | null }
  | { readonly type: 'unknown' }
  /** `isLarge`: its receipt is requested alone from now on. */
  | { readonly type: 'failed'; readonly error: Error; readonly isLarge: boolean }

export type TransactionRpc = Pick<Rpc, 'transaction' | 'receipt' | 'largeReceipts'>

/** An empty log costs 375 gas and has 360 bytes in a receipt; no other log has more bytes for its gas. */
const bytesPerGas = 1n
/** The maximum of bytes of the receipts of one request. */
const requestBytes = 8n * 1024n * 1024n
/** The minimum that a transaction counts, so that requests stay small if a node reports nonsense. */
const minimumGas = 100_000n
const transactionsPerRequest = 100
const maxUnbatched = 100
const maxConcurrentUnbatched = 4

/**
 * Reads transactions with their receipts. Strangers decide how a transaction looks, so none delays another: its gas limit bounds its receipt,
 * large receipts are read apart from the polls, and each transaction fails alone.
 */
export async function readTransactions(
  rpc: TransactionRpc,
  places: readonly TransactionLocation[],
): Promise<ReadonlyMap<Hex, TransactionResult>> {
  const results = new Map<Hex, TransactionResult>()
  const sent = await readSent(rpc, places, results)
  const isLarge = ({ txHash, isLarge = false }: TransactionLocation) =>
    isLarge ||
    bytesOf(sent.get(txHash)) > requestBytes ||
    rpc.largeReceipts.stateOf(txHash) !== 'none'
  const sentPlaces = places.filter(({ txHash }) => sent.has(txHash))
  for (const place of sentPlaces.filter(isLarge)) {
    try {
      const receipt = rpc.largeReceipts.read(place)
      if (receipt === 'pending') fail(place, pending(sent.get(place.txHash)), true)
      else setReceipt(place, receipt)
    } catch (error) {
      fail(place, error, true)
    }
  }
  const small = sentPlaces.filter((place) => !isLarge(place))
  const sizeOf = ({ txHash }: TransactionLocation) => bytesOf(sent.get(txHash))
  await inRequests(small, sizeOf, async (place, unbatched) => {
    try {
      setReceipt(place, await rpc.receipt(place.txHash, { unbatched }))
      return 'done'
    } catch (error) {
      fail(place, error, isTooMuch(error))
      if (!isTooMuch(error)) return 'failed'
      rpc.largeReceipts.read(place)
      return 'done'
    }
  })
  return results

  function fail({ txHash }: TransactionLocation, error: unknown, isLarge: boolean): void {
    results.set(txHash, { type: 'failed', error: error as Error, isLarge })
  }

  function setReceipt({ txHash }: TransactionLocation, receipt: RpcReceipt | null): void {
    const transaction = sent.get(txHash)
    if (transaction) results.set(txHash, { type: 'read', sent: transaction, receipt })
  }
}

/** Reads the transactions that the provider knows, and sets the results of the others. */
async function readSent(
  rpc: TransactionRpc,
  places: readonly TransactionLocation[],
  results: Map<Hex, TransactionResult>,
): Promise<ReadonlyMap<Hex, RpcTransaction>> {
  const sent = new Map<Hex, RpcTransaction>()
  await inRequests(
    places,
    () => 0n,
    async ({ txHash }, unbatched) => {
      try {
        const transaction = await rpc.transaction(txHash, { unbatched })
        if (transaction) sent.set(txHash, transaction)
        results.set(txHash, { type: 'unknown' })
        return 'done'
      } catch (error) {
        results.set(txHash, { type: 'failed', error: error as Error, isLarge: false })
        return 'failed'
      }
    },
  )
  return sent
}

function isTooMuch(error: unknown): boolean {
  return error instanceof RpcError && (error.fault === 'oversized' || error.fault === 'timeout')
}

function bytesOf(sent: RpcTransaction | undefined): bigint {
  const { gas } = sent ?? { gas: 0n }
  return (gas < minimumGas ? minimumGas : gas) * bytesPerGas
}

function pending(sent: RpcTransaction | undefined): Error {
  const megabytes = Number(bytesOf(sent)) / 1024 / 1024
  return new RpcError(
    'oversized',
    `The receipt may have ${megabytes.toFixed(1)} MB; it is read by itself.`,
  )
}

/**
 * Processes all transactions, in requests that are small enough, one after another. Transactions that failed together
 * are retried alone, since a single call may break a request.
 */
async function inRequests(
  places: readonly TransactionLocation[],
  bytesOf: (place: TransactionLocation) => bigint,
  work: (place: TransactionLocation, unbatched: boolean) => Promise<'done' | 'failed'>,
): Promise<void> {
  const failed: TransactionLocation[] = []
  for (const batch of batchesOf(places, bytesOf)) {
    const outcomes = await Promise.all(batch.map((place) => work(place, false)))
    if (batch.length > 1) failed.push(...batch.filter((_, index) => outcomes[index] === 'failed'))
  }
  // If there are too many, such as while a provider is down, each poll reads others.
  const queue = shuffled(failed).slice(0, maxUnbatched).values()
  const lane = async () => {
    for (const place of queue) await work(place, true)
  }
  await Promise.all(Array.from({ length: maxConcurrentUnbatched }, lane))
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, rank: Math.random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item)
}

/** Batches in the order of the transactions. */
function batchesOf(
  places: readonly TransactionLocation[],
  bytesOf: (place: TransactionLocation) => bigint,
): TransactionLocation[][] {
  const batches: TransactionLocation[][] = []
  let bytes = 0n
  for (const place of places) {
    const last = batches.at(-1)
    bytes += bytesOf(place)
    if (last && last.length < transactionsPerRequest && bytes <= requestBytes) last.push(place)
    else {
      batches.push([place])
      bytes = bytesOf(place)
    }
  }
  return batches
}
