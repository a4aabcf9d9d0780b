import { payingTransfers } from '@payment-intents/core'
import type { StoredIntent } from '../../store/payment-intents/paymentIntents.ts'
import type { PayingTransfer, StoredRefund } from '../../store/refunds/refunds.ts'
import { readTransactions, type TransactionRpc } from '../rpc/readTransactions.ts'
import type { Rpc } from '../rpc/rpc.ts'

type Verifier = {
  readonly rpc: TransactionRpc & Pick<Rpc, 'header'>
  /** Its last block while it stands still: it gets no request about later blocks. */
  readonly standstillHead?: bigint | null
  /** It did not confirm a payment that the other provider confirms. */
  disagreed?(): void
}

/** Intents and refunds that wait for depth and verification. */
export type Settling = {
  readonly intents: readonly StoredIntent[]
  readonly refunds: readonly StoredRefund[]
}

/** The transfers that are deep enough to settle what they pay. */
function deepTransfers({ intents, refunds }: Settling, depthFrom: bigint): PayingTransfer[] {
  const isDeep = (required: number) => (transfer: { readonly blockNumber: bigint }) =>
    depthFrom - transfer.blockNumber + 1n >= BigInt(required)
  return [
    ...intents.flatMap((intent) => {
      const paid = new Set(payingTransfers(intent)?.map(({ id }) => id))
      const credited = intent.transfers.filter(({ id }) => paid.has(id))
      return credited.every(isDeep(intent.confirmationsRequired)) ? credited : []
    }),
    ...refunds.flatMap(({ transfer, confirmationsRequired }) =>
      transfer && isDeep(confirmationsRequired)(transfer) ? [transfer] : [],
    ),
  ]
}

/**
 * Returns the ids of transfers that are deep enough to settle these intents and refunds, and that both providers confirm: a receipt of
 * status 1 with the log, in the canonical block of its height. A provider that does not respond confirms nothing, and delays no other
 * payment. A transaction is requested once, for any number of payments.
 */
export async function verifyReceipts(
  [first, second]: readonly [Verifier, Verifier | null],
  settling: Settling,
  depthFrom: bigint | null,
): Promise<ReadonlySet<string>> {
  if (depthFrom === null) return new Set()
  const deep = deepTransfers(settling, depthFrom)
  if (deep.length === 0) return new Set()
  const standstillHead = second?.standstillHead ?? null
  const verifiable = deep.filter(
    ({ blockNumber }) => standstillHead === null || blockNumber <= standstillHead,
  )
  const verifiableIds = new Set(verifiable.map(({ id }) => id))
  const [byFirst, bySecond] = await Promise.all([
    readVerdict(first.rpc, deep),
    second ? readVerdict(second.rpc, verifiable) : null,
  ])
  if (!second || !bySecond) return byFirst.confirmed
  if ([...byFirst.confirmed].some((id) => bySecond.denied.has(id))) second.disagreed?.()
  if ([...bySecond.confirmed].some((id) => byFirst.denied.has(id))) first.disagreed?.()
  return new Set(
    [...byFirst.confirmed].filter((id) => bySecond.confirmed.has(id) || !verifiableIds.has(id)),
  )
}

/** The transfers that a provider confirms or denies; it said nothing about others. */
type Verdict = { readonly confirmed: ReadonlySet<string>; readonly denied: ReadonlySet<string> }

async function readVerdict(
  rpc: Verifier['rpc'],
  deep: readonly PayingTransfer[],
): Promise<Verdict> {
  const hashes = await readHashes(rpc, new Set(deep.map(({ blockNumber }) => blockNumber)))
  const isCanonical = (place: PayingTransfer) => hashes.get(place.blockNumber) === place.blockHash
  const transactions = new Map(deep.filter(isCanonical).map((place) => [place.txHash, place]))
  const results = await readTransactions(rpc, [...transactions.values()])

  const confirmed = new Set<string>()
  const denied = new Set<string>()
  for (const place of deep) {
    const result = results.get(place.txHash)
    // A request that failed, or is still in flight, decides nothing; an unknown or other block denies.
    if (!hashes.has(place.blockNumber) || result?.type === 'failed') continue
    const receipt = isCanonical(place) && result?.type === 'read' ? result.receipt : null
    const log =
      receipt?.succeeded && receipt.blockHash === place.blockHash
        ? receipt.transfers.find(({ logIndex }) => logIndex === place.logIndex)
        : undefined
    const isUnchanged =
      log?.to === place.to && log.from === place.from && log.amount === place.amount
    ;(isUnchanged ? confirmed : denied).add(place.id)
  }
  return { confirmed, denied }
}

/** The hashes of blocks by height: null if the provider has none, no entry if it does not respond. */
async function readHashes(rpc: Pick<Rpc, 'header'>, numbers: ReadonlySet<bigint>) {
  const hashes = new Map<bigint, string | null>()
  await Promise.all(
    [...numbers].map(async (number) => {
      const header = await rpc.header(number).catch(() => undefined)
      if (header !== undefined) hashes.set(number, header?.hash ?? null)
    }),
  )
  return hashes
}
