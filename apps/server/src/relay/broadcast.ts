import type { Hex } from 'viem'
import type { RelayContext } from './context.ts'
import type { Memory } from './memory.ts'
import type { RelayRpc, Sent } from './relayRpc.ts'

type Signed = { readonly txHash: Hex; readonly raw: Hex; readonly nonce: number }

/** Sends recorded transactions in the order of their nonces: some nodes take none that leaves a gap. */
export async function broadcast(
  context: RelayContext,
  rpcs: { rpc: RelayRpc; all: readonly RelayRpc[] },
  memory: Memory,
  given: { first: readonly Signed[]; again: readonly Signed[]; head: bigint },
): Promise<void> {
  const { first, again, head } = given
  const to = (signed: readonly Signed[], nodes: readonly RelayRpc[]) =>
    signed.map((one) => ({ ...one, nodes }))
  // A provider may have said yes and forgotten: what is sent again goes to all of them.
  const all = [...to(again, rpcs.all), ...to(first, [rpcs.rpc])].sort((a, b) => a.nonce - b.nonce)
  await Promise.all(
    all.map(async ({ txHash, raw, nodes }) => {
      const answers = await Promise.all(nodes.map((node) => node.send(raw).catch(failedBy)))
      const sent = answers.find(({ type }) => type === 'accepted') ?? answers[0]
      if (sent) remember(context, memory, { txHash, sent, head })
    }),
  )
}

/** One transaction that cannot be sent delays no other. */
function failedBy(error: unknown): Sent {
  return { type: 'failed', reason: error instanceof Error ? error.message : String(error) }
}

function remember(
  { facts, log }: RelayContext,
  memory: Memory,
  { txHash, sent, head }: { txHash: Hex; sent: Sent; head: bigint },
): void {
  if (sent.type === 'underpriced') memory.underpriced.add(txHash)
  else memory.underpriced.delete(txHash)
  // Whether it failed is not known when no answer came: the next cycle sends it again.
  if (sent.type !== 'failed') memory.sent.set(txHash, head)
  const refusal = sent.type === 'failed' ? sent.reason : sent.type
  if (refusal === memory.refusal || sent.type === 'nonce_used') return
  memory.refusal = refusal
  if (sent.type === 'accepted') return
  const fields = { chain_id: facts.chainId, tx_hash: txHash, reason: refusal }
  log.warn(fields, 'a transaction was not taken; it is sent again')
}
