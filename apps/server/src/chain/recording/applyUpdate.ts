import {
  type Applied,
  applyFacts,
  applyWithPlaces,
  type Fact,
  holdsPlace,
  type Intent,
} from '@payment-intents/core'
import { type LockedLink, remainingPlaces } from '../../store/payment-links/places.ts'
import type { InsertedTransfer } from '../../store/transfers/transfers.ts'
import type { ChainUpdate } from './writeUpdate.ts'

/** The places of the payment links of locked intents. `holders` null: no intent pays a link. */
export type LockedPlaces = {
  readonly links: ReadonlyMap<string, LockedLink>
  readonly holders: ReadonlySet<string> | null
}

/** Applies its facts to each intent, in the order of the chain. Intents of one link are applied in the order of their payments. */
export function applyUpdate(
  { intents, linkPlaces }: { intents: readonly Intent[]; linkPlaces: LockedPlaces },
  { orphaned, depthFrom, scanned, proven }: ChainUpdate,
  inserted: readonly InsertedTransfer[],
): Applied[] {
  const orphanedIds = new Set(orphaned.map((transfer) => transfer.id))
  const factsByIntent = new Map<string, Fact[]>()
  for (const { binding, ...transfer } of inserted) {
    if (binding.type !== 'bound') continue
    const facts = factsByIntent.get(binding.intentId) ?? []
    factsByIntent.set(binding.intentId, facts)
    facts.push({ type: 'transfer_seen', transfer: { ...transfer, boundBy: binding.by } })
  }
  const headFact: Fact = {
    type: 'head',
    blockNumber: depthFrom,
    timestamp: scanned.timestamp,
    proven,
  }
  const factsOf = (intent: Intent): Fact[] => {
    const orphanedTransfers = intent.transfers.filter((transfer) => orphanedIds.has(transfer.id))
    return [
      ...orphanedTransfers.map(
        (transfer): Fact => ({ type: 'transfer_orphaned', transferId: transfer.id }),
      ),
      ...(factsByIntent.get(intent.id) ?? []),
      headFact,
    ]
  }
  const { links, holders } = linkPlaces
  if (!holders) return intents.map((intent) => applyFacts(intent, factsOf(intent)))
  const positions = new Map([...factsByIntent.keys()].map((id, position) => [id, position]))
  const positionOf = ({ id }: Intent) => positions.get(id) ?? factsByIntent.size
  const usedPlaces = new Map<string, number>()
  return intents
    .toSorted((a, b) => positionOf(a) - positionOf(b))
    .map((intent) => {
      const link = intent.paymentLink ?? ''
      const places = remainingPlaces(links.get(link))
      const used = usedPlaces.get(link) ?? 0
      const isHolding = holders.has(intent.id)
      const remaining = places === null ? null : places - used
      const applied = applyWithPlaces(intent, factsOf(intent), { isHolding, remaining })
      if (!isHolding && holdsPlace(applied.intent, false)) usedPlaces.set(link, used + 1)
      return applied
    })
}
