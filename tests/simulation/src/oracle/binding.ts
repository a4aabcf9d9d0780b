import type { Address } from '@payment-intents/contract'
import type { Block, Log } from '../chain.ts'
import type { Transaction } from '../transaction.ts'
import { type Knowledge, type Promised, transferKey, until } from './knowledge.ts'
import { isWaiting, waits } from './waiting.ts'

/** Equal transfers of one transaction, in the order of the chain. */
export type Group = {
  readonly transaction: Transaction
  readonly block: Block
  readonly to: Address
  readonly amount: bigint
  readonly lookalike: boolean
  readonly transfers: readonly Log[]
}

/** What the service may make of one transfer, as {@link credited} and {@link unmatched} put it. */
type Answers = ReadonlySet<string>

/** Answers about a transfer of one payer, or of any. */
type Claim = { readonly answers: Answers; readonly payer: Address | null }

export type Classified = {
  /** What the merchant's hand and the references say, each of one transfer, whichever that is. */
  readonly claims: readonly Claim[]
  /** For each transfer, when no claim is left for it. */
  readonly otherwise: readonly Claim[]
  /** Nobody had to look at the wallet then, so the group may be unknown. */
  readonly optional: boolean
}

export const credited = (intentId: string, rail: string) => `${intentId} by ${rail}`
export const unmatched = (reason: string) => `nobody, ${reason}`

/** What the binding table makes of a group: by hand, reference, address, exact amount, in this order, else nobody's. */
export function classify(group: Group, knowledge: Knowledge): Classified {
  const there = knowledge.askedAt.get(group.to) ?? []
  const isHere = ({ chainId }: Promised) => chainId === knowledge.chainId
  const wallet = {
    isStanding: knowledge.standing.has(group.to),
    here: there.filter(isHere),
    elsewhere: there.filter((intent) => !isHere(intent)),
  }
  const optional = !isWatched(group.block, wallet, knowledge)
  if (group.lookalike) {
    const answers = new Set([unmatched('wrong_token')])
    const otherwise = group.transfers.map(() => ({ answers, payer: null }))
    return { claims: [], otherwise, optional }
  }
  const claims = [...byAssignment(group, knowledge), ...byReference(group, wallet)]
  const otherwise = group.transfers.map(({ from }) => {
    const answers = new Set<string>()
    for (const rule of rules) {
      const { may, must } = rule({ ...group, ...wallet, payer: from }, knowledge)
      for (const answer of may) answers.add(answer)
      if (must) break
    }
    return { answers, payer: from }
  })
  return { claims, otherwise, optional }
}

/** Whether these answers, one a transfer, can be right together: no claim is passed over while one is left. */
export function isRight(
  given: readonly string[],
  { claims, otherwise }: Pick<Classified, 'claims' | 'otherwise'>,
): boolean {
  const [answer, ...others] = given
  const [own, ...rest] = otherwise
  if (answer === undefined || !own) return true
  const isUnclaimed = given.length > claims.length && own.answers.has(answer)
  if (isUnclaimed && isRight(others, { claims, otherwise: rest })) return true
  return claims.some(({ answers, payer }, at) => {
    if (!answers.has(answer) || (payer !== null && payer !== own.payer)) return false
    return isRight(others, { claims: claims.toSpliced(at, 1), otherwise: rest })
  })
}

/** "Can be assigned by hand", wherever the transaction is mined then. */
function byAssignment({ transaction, transfers, to, amount }: Group, { assigned }: Knowledge) {
  return [...new Set(transfers.map(({ from }) => from))].flatMap((payer): Claim[] => {
    const key = transferKey({ txHash: transaction.hash, from: payer, to, amount })
    const intentIds = assigned.get(key) ?? []
    return intentIds.map((id) => ({ answers: new Set([credited(id, 'assignment')]), payer }))
  })
}

/** "A transfer call selector ‖ to ‖ amount ‖ reference whose to and amount equal one of the transaction's own logs"; each is used once. */
function byReference({ transaction, block, to, amount }: Group, { here }: Wallet): Claim[] {
  return transaction.parts.flatMap((part) => {
    if (!part.called || part.to !== to || part.amount !== amount) return []
    const intent = here.find(({ reference }) => reference === part.reference)
    if (!intent) return []
    const answer = credited(intent.id, 'reference')
    const isInTime = block.timestamp <= until(intent)
    const answers = new Set(isInTime ? [answer] : [answer, unmatched('no_intent')])
    return [{ answers, payer: null }]
  })
}

/** Everybody who ever asked for payment to a wallet, on this chain and on the other. */
type Wallet = {
  readonly isStanding: boolean
  readonly here: readonly Promised[]
  readonly elsewhere: readonly Promised[]
}

/** Answers that a rule allows, and whether it leaves the transfer to no later rule. */
type Ruling = { readonly may: readonly string[]; readonly must: boolean }

/** About one transfer that is left when all claims are used. */
type Rule = (transfer: Group & Wallet & { payer: Address }, knowledge: Knowledge) => Ruling

/** In the order of precedence. */
const rules: readonly Rule[] = [byAddress, byAnnouncement, byPayableAmount, byNobody]

/** "`wallet_address` that only this open intent uses and that is no merchant's standing wallet: the address, whatever the amount." */
function byAddress(transfer: Parameters<Rule>[0], knowledge: Knowledge): Ruling {
  if (transfer.isStanding) return { may: [], must: false }
  const asked = transfer.here.map((intent) => ({ intent, is: waits(intent, transfer, knowledge) }))
  const users = asked.flatMap(({ intent, is }) => (is === 'no' ? [] : [intent]))
  const certain = asked.flatMap(({ intent, is }) => (is === 'yes' ? [intent] : []))
  if (certain.length > 1) return { may: [], must: false }
  const alone = certain.length === 1 ? certain : users
  return {
    may: alone.map(({ id }) => credited(id, 'address')),
    must: users.length === 1 && certain.length === 1 && !certain[0]?.referenceOnly,
  }
}

/** "A bare transfer from that payer of that amount is unmatched, never credited to the intent that holds the untagged amount." */
function byAnnouncement(
  { payer, to, amount, block }: Parameters<Rule>[0],
  { announcements, chainId }: Knowledge,
): Ruling {
  const meant = announcements.filter(
    (announced) =>
      announced.payer === payer &&
      announced.intent.chainId === chainId &&
      announced.intent.wallet === to &&
      announced.intent.payable === amount &&
      block.timestamp <= until(announced.intent),
  )
  return {
    may: meant.map(() => unmatched('ambiguous')),
    must: meant.some(({ moment }) => moment < block.moment),
  }
}

/** "That amount, reserved", "while the intent is open and until its late window ends". */
function byPayableAmount(transfer: Parameters<Rule>[0], knowledge: Knowledge): Ruling {
  const holders = askingFor(transfer, transfer.here).filter(
    (intent) => waits(intent, transfer, knowledge) !== 'no',
  )
  return {
    may: holders.map(({ id }) => credited(id, 'payable_amount')),
    must: holders.length === 1 && holders.every((one) => waits(one, transfer, knowledge) === 'yes'),
  }
}

/** "Never guess"; a payment from before its intent and one on the sibling chain are "reported as such". */
function byNobody(transfer: Parameters<Rule>[0]): Ruling {
  const early = askingFor(transfer, transfer.here)
  const elsewhere = askingFor(transfer, transfer.elsewhere)
  const isWrongChain = elsewhere.some(({ moment }) => moment < transfer.block.moment)
  const reasons = [
    ...(early.length > 0 ? ['before_intent'] : []),
    ...(elsewhere.length > 0 ? ['wrong_chain'] : []),
    ...(isWrongChain ? [] : ['no_intent']),
  ]
  return { may: reasons.map(unmatched), must: true }
}

/** Those who, at whatever time until its block, reserved the amount of a transfer. */
function askingFor({ amount, block }: Group, intents: readonly Promised[]): readonly Promised[] {
  return intents.filter(
    (intent) =>
      !intent.referenceOnly && intent.payable === amount && block.timestamp <= until(intent),
  )
}

/** Whether somebody waits for payments to a wallet; on the other chain, as long as anybody waits on this one. */
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
