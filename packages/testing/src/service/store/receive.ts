import { type Address, chainFacts, chainFactsOf } from '@payment-intents/contract'
import { isPaid, presentTransfer, reasonWith, suggest } from '@payment-intents/core'
import { bindPayment, type Payment } from './bindPayment.ts'
import type { RecordedTransfer, Records } from './records.ts'

/** Stores a transfer of a new block: credited to an intent, or unmatched with its suggestions. Returns its id. */
export function receive(records: Records, payment: Payment, blockNumber: bigint): string {
  const { merchant, ids, clock } = records
  const { chain, from, to, amount } = payment
  const facts = chainFacts(merchant.mode, chain)
  const binding = bindPayment(payment, {
    merchant,
    intents: [...records.intents.values()],
    waiting: records.waitedFor(),
    timestamp: records.seconds(),
    blockNumber,
  })
  const transfer = {
    ...{ id: ids.next('tr', clock.now), chain, chainId: facts.chainId, token: lower(facts.usdc) },
    // The token logs the use of an authorization before its transfer.
    ...{ txHash: ids.hash(), logIndex: payment.authorizationNonce ? 1 : 0 },
    ...{ blockNumber, blockTimestamp: records.seconds() },
    ...{ from, to, amount, seenAt: clock.now, orphaned: false },
  }
  if (binding.type === 'bound') {
    const { intentId, by: boundBy } = binding
    const credited = { ...transfer, intentId, boundBy, reason: null, suggestions: [] }
    records.transfers.set(transfer.id, credited)
    records.apply(intentId, { type: 'transfer_seen', transfer: credited })
    return transfer.id
  }
  const suggestions = binding.reason === 'wrong_chain' ? [] : suggestionsFor(records, payment)
  const reason = reasonWith(binding, suggestions)
  const unmatched = { ...transfer, intentId: null, boundBy: null, reason, suggestions }
  records.transfers.set(transfer.id, unmatched)
  const object = JSON.stringify(presentTransfer(unmatched, chainFactsOf(unmatched.chainId)))
  records.write({ type: 'transfer.unmatched', sequence: 1, object }, null)
  for (const { intentId, match } of suggestions) {
    const intent = records.intents.get(intentId)
    if (match === 'payer' || intent?.status !== 'requires_payment') continue
    records.intents.set(intentId, { ...intent, version: intent.version + 1 })
  }
  return transfer.id
}

function suggestionsFor(
  { waitedFor, announced }: Records,
  { chain, from, to, amount }: Payment,
): RecordedTransfer['suggestions'] {
  const unpaid = waitedFor().filter(
    (intent) => intent.chain === chain && intent.wallet === to && !isPaid(intent),
  )
  const candidates = unpaid.filter(({ referenceOnly }) => !referenceOnly)
  const namedPayers = unpaid.filter(({ id }) => announced.get(id)?.has(from)).map(({ id }) => id)
  return suggest(amount, candidates, namedPayers)
}

function lower(address: Address): Address {
  return address.toLowerCase() as Address
}
