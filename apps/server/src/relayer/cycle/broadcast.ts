import type { RelayContext } from '../relayContext.ts'
import type { Fees, GasPrice } from '../rpc/fees.ts'
import type { RelayRpc, SendResult, SignedTransaction } from '../rpc/relayRpc.ts'
import type { Memory } from './relayerMemory.ts'

type Signed = SignedTransaction & Fees

/** Sends recorded transactions in the order of their nonces: some nodes refuse a transaction after a gap. */
export async function broadcast(
  context: RelayContext,
  rpcs: { rpc: RelayRpc; all: readonly RelayRpc[] },
  memory: Memory,
  options: {
    newTransactions: readonly Omit<Signed, 'relayer'>[]
    resent: readonly Signed[]
    head: bigint
    price: GasPrice
  },
): Promise<void> {
  const { newTransactions, resent, head, price } = options
  const { address: relayer } = context.signer
  const to = (signed: readonly Signed[], nodes: readonly RelayRpc[]) =>
    signed.map((signed) => ({ ...signed, nodes }))
  // Send again to every provider: those that accepted a transaction may have dropped it.
  const all = [
    ...to(resent, rpcs.all),
    ...to(
      newTransactions.map((transaction) => ({ ...transaction, relayer })),
      [rpcs.rpc],
    ),
  ].sort((a, b) => a.nonce - b.nonce)
  await Promise.all(
    all.map(async ({ nodes, ...signed }) => {
      const responses = await Promise.all(nodes.map((node) => node.send(signed).catch(failedBy)))
      const response = responses.find(({ type }) => type === 'accepted') ?? responses[0]
      if (response) remember(context, memory, { signed, response, head, price })
    }),
  )
}

/** A transaction that cannot be sent delays no other. */
function failedBy(error: unknown): SendResult {
  return { type: 'failed', reason: error instanceof Error ? error.message : String(error) }
}

function remember(
  { facts, log }: RelayContext,
  memory: Memory,
  options: { signed: Signed; response: SendResult; head: bigint; price: GasPrice },
): void {
  const { signed, response, head, price } = options
  const { txHash } = signed
  // If this transaction was sent before, the pending transaction with its nonce is itself, so it counts as accepted.
  const wasSent = response.type === 'replacement_underpriced' && memory.sent.has(txHash)
  const sent: SendResult = wasSent ? { type: 'accepted' } : response
  const isUnderpriced = sent.type === 'failed' && isBelow(signed, price)
  if (isUnderpriced || sent.type === 'replacement_underpriced') memory.underpriced.add(txHash)
  else memory.underpriced.delete(txHash)
  // After a failure, possibly no node has it, so the next cycle sends it again.
  if (sent.type !== 'failed') memory.sent.set(txHash, head)
  const refusal = sent.type === 'failed' ? sent.reason : sent.type
  if (refusal === memory.loggedRefusal || sent.type === 'nonce_used') return
  memory.loggedRefusal = refusal
  if (sent.type === 'accepted') return
  const fields = { chain_id: facts.chainId, tx_hash: txHash, reason: refusal }
  log.warn(fields, 'a transaction was not taken; it is sent again')
}

function isBelow({ maxFeePerGas, maxPriorityFeePerGas }: Fees, { base, tip }: GasPrice): boolean {
  return maxFeePerGas < base + tip || maxPriorityFeePerGas < tip
}
