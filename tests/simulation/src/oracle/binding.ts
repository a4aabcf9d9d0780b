import type { Address } from '@payment-intents/contract'
import type { Block, Log } from '../chain/chain.ts'
import type { Transaction } from '../chain/transaction.ts'
import { type Knowledge, type Promised, transferKey, until } from './knowledge.ts'
import { priceRuling } from './price.ts'
import type { Recorded, Records } from './recordedTransfers.ts'
import { reasonsFor } from './unmatched.ts'
import { isWaiting, waits } from './waiting.ts'

/** Equal transfers of one payer in one transaction, in the order of the chain. */
export type Group = {
  readonly transaction: Transaction
  readonly block: Block
  readonly from: Address
  readonly to: Address
  readonly amount: bigint
  readonly lookalike: boolean
  readonly transfers: readonly Log[]
}

export type Classified = {
  /** The assignments, each to one transfer, regardless of which. */
  readonly assigned: readonly string[]
  /** The references, each of one transfer: every different one once, and those that are there again. */
  readonly different: readonly string[]
  readonly repeated: readonly string[]
  /** A reference is of an intent whose late window is over. */
  readonly isOver: boolean
  readonly transfers: readonly {
    /** By the nonce that the payer signed. */
    readonly authorized: string | null
    /** When nothing above is left for it. */
    readonly otherwise: ReadonlySet<string>
  }[]
  /** The wallet need not have been watched then, so the group may be unknown. */
  readonly optional: boolean
}

export const credited = (intentId: string, rail: string) => `${intentId} by ${rail}`
export const unmatched = (reason: string) => `nobody, ${reason}`

/**
 * Binds a group by the binding table: by hand, by the nonce of an authorization, reference, address, exact amount, plain price, in this
 * order, else unmatched.
 *
 * @param stored the group as it is stored, in the same order
 */
export function classify(
  group: Group,
  stored: readonly Recorded[],
  knowledge: Knowledge,
  records: Records,
): Classified {
  const there = knowledge.requestedAt.get(group.to) ?? []
  const isHere = ({ chainId }: Promised) => chainId === knowledge.chainId
  const wallet = {
    isConfigured: knowledge.configured.has(group.to),
    here: there.filter(isHere),
    elsewhere: there.filter((intent) => !isHere(intent)),
  }
  const optional = !isWatched(group.block, wallet, knowledge)
  if (group.lookalike) {
    const otherwise = new Set([unmatched('wrong_token')])
    const transfers = group.transfers.map(() => ({ authorized: null, otherwise }))
    return { assigned: [], different: [], repeated: [], isOver: false, transfers, optional }
  }
  const references = byReference(group, wallet)
  return {
    assigned: byAssignment(group, knowledge),
    ...references,
    transfers: group.transfers.map(({ nonce }, index) => {
      const bare = { ...group, ...wallet, tooMany: references.tooMany, record: stored[index] }
      const named = nonce && byAuthorization(nonce, wallet)
      const { may, must } = byHandingIn(nonce, bare, knowledge)
      return {
        authorized: named || (must ? (may[0] ?? null) : null),
        otherwise: new Set([...may, ...otherwise(bare, knowledge, records)]),
      }
    }),
    optional,
  }
}

function byAssignment({ transaction, from, to, amount }: Group, { assigned }: Knowledge) {
  const ids = assigned.get(transferKey({ txHash: transaction.hash, from, to, amount })) ?? []
  return ids.map((id) => credited(id, 'assignment'))
}

/** "The payer's own signature names the order, so nobody can move it to another one", no matter who submits it. */
function byAuthorization(nonce: string, { here }: Wallet): string | null {
  const intent = here.find(({ reference }) => reference === nonce)
  return intent ? credited(intent.id, 'authorization') : null
}

/**
 * "What binds it is that it was handed in for this intent: (authorizer, nonce) is recorded before it is submitted, counts only
 * if it was unused then, and an exact payable amount of another intent outranks it."
 */
function byHandingIn(nonce: string | null, transfer: Bare, knowledge: Knowledge): Ruling {
  const { from, here, transaction } = transfer
  const handedIn = knowledge.submitted.find(
    (authorization) => authorization.nonce === nonce && authorization.authorizer === from,
  )
  const intent = here.find(({ id }) => id === handedIn?.intentId)
  if (!handedIn || !intent || handedIn.wasRecorded) return { may: [], must: false }
  const others = here.filter((candidate) => candidate !== intent)
  const exact = byPayableAmount({ ...transfer, here: others }, knowledge)
  if (exact.must) return { may: [], must: false }
  return {
    may: [credited(intent.id, 'authorization')],
    // An earlier payment may have been read before.
    must: exact.may.length === 0 && handedIn.moment < transaction.moment,
  }
}

/** "Only in calldata that the payer authorised"; "if more different references fit a log than there are logs, none counts". */
function byReference({ transaction, block, from, to, amount, transfers }: Group, { here }: Wallet) {
  const fitting = transaction.parts.flatMap((part) => {
    if (!part.called || part.signer !== from || part.to !== to || part.amount !== amount) return []
    return here.find(({ reference }) => reference === part.reference) ?? []
  })
  const different = [...new Set(fitting)]
  const repeated = fitting.filter((intent, index) => fitting.indexOf(intent) !== index)
  const tooMany = different.length > transfers.length
  const outcomes = (intents: readonly Promised[]) =>
    tooMany ? [] : intents.map(({ id }) => credited(id, 'reference'))
  return {
    different: outcomes(different),
    repeated: outcomes(repeated),
    isOver: fitting.some((intent) => block.timestamp > until(intent)),
    tooMany,
  }
}

/** All merchants who ever requested payment to a wallet, on this chain and on the other. */
type Wallet = {
  readonly isConfigured: boolean
  readonly here: readonly Promised[]
  readonly elsewhere: readonly Promised[]
}

/** A transfer that is not assigned, authorized or referenced. */
export type Bare = Group &
  Wallet & {
    /** Its calldata names more orders than it pays. */
    readonly tooMany: boolean
    readonly record: Recorded | undefined
  }

/** Outcomes that a rule allows, and whether it leaves the transfer to no later rule. */
type Ruling = { readonly may: readonly string[]; readonly must: boolean }

function otherwise(transfer: Bare, knowledge: Knowledge, records: Records): ReadonlySet<string> {
  const outcomes = new Set<string>()
  // In the order of precedence.
  for (const rule of [byAddress, byPayableAmount, byPrice]) {
    const { may, must } = rule(transfer, knowledge, records)
    for (const binding of may) outcomes.add(binding)
    if (must) return outcomes
  }
  for (const reason of reasonsFor(transfer, knowledge)) outcomes.add(unmatched(reason))
  return outcomes
}

/** "`wallet_address` that one intent of one merchant uses" and that no merchant keeps: "the address, whatever the amount". */
function byAddress(transfer: Bare, knowledge: Knowledge): Ruling {
  if (transfer.isConfigured) return { may: [], must: false }
  const candidates = transfer.here.map((intent) => ({
    intent,
    is: waits(intent, transfer, knowledge),
  }))
  const users = candidates.flatMap(({ intent, is }) => (is === 'no' ? [] : [intent]))
  const certain = candidates.flatMap(({ intent, is }) => (is === 'yes' ? [intent] : []))
  if (certain.length > 1) return { may: [], must: false }
  const alone = certain.length === 1 ? certain : users
  return {
    may: alone.map(({ id }) => credited(id, 'address')),
    must: users.length === 1 && certain.length === 1 && !certain[0]?.referenceOnly,
  }
}

/** "Exactly `payable_amount_units`", reserved "while the intent is open and until its late window ends". */
function byPayableAmount(transfer: Bare, knowledge: Knowledge): Ruling {
  const { amount, here } = transfer
  const holders = here.filter(
    (intent) =>
      !intent.referenceOnly &&
      intent.payable === amount &&
      waits(intent, transfer, knowledge) !== 'no',
  )
  return {
    may: holders.map(({ id }) => credited(id, 'payable_amount')),
    must:
      holders.length === 1 &&
      holders.every((holder) => waits(holder, transfer, knowledge) === 'yes'),
  }
}

function byPrice(transfer: Bare, knowledge: Knowledge, records: Records): Ruling {
  const { may, must } = priceRuling(transfer, knowledge, records)
  return { may: may.map((id) => credited(id, 'price')), must }
}

/** Whether an intent waits for payments to a wallet; on the other chain, as long as any waits on this chain. */
function isWatched(
  block: Block,
  { here, elsewhere }: Wallet,
  { chain, chainId, intents }: Knowledge,
): boolean {
  if (here.some((intent) => isWaiting(intent, block, chain))) return true
  if (!elsewhere.some((intent) => intent.moment < block.moment && block.timestamp <= until(intent)))
    return false
  return [...intents.values()].some(
    (intent) => intent.chainId === chainId && isWaiting(intent, block, chain),
  )
}
