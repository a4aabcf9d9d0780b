import { callRpc } from '../callRpc.ts'

/** Calls that a wallet has sent. */
export type SentCalls = {
  readonly id: string
  readonly chainId: string
  /** Hash of their transaction. */
  readonly hash: string
}

type Receipt = {
  logs: { address: string; data: string; topics: string[] }[]
  status: '0x0' | '0x1'
  blockHash: string
  blockNumber: string
  gasUsed: string
  transactionHash: string
}

/**
 * The result of `wallet_getCallsStatus`: 100 while the node waits to mine the transaction, 200 when it is mined, 500 when it
 * is mined and reverted, and 400 when the node does not know it, or no longer.
 *
 * @see https://eips.ethereum.org/EIPS/eip-5792
 */
export async function readCallsStatus(rpcUrl: string, calls: SentCalls): Promise<object> {
  const { id, chainId, hash } = calls
  const about = { version: '2.0.0', id, chainId, atomic: true }
  // Read the receipt second: a pending transaction may be mined between the two reads.
  const transaction = await callRpc<object | null>(rpcUrl, 'eth_getTransactionByHash', [hash])
  if (!transaction) return { ...about, status: 400 }
  const receipt = await callRpc<Receipt | null>(rpcUrl, 'eth_getTransactionReceipt', [hash])
  if (!receipt) return { ...about, status: 100 }
  const status = receipt.status === '0x1' ? 200 : 500
  return { ...about, status, receipts: [describe(receipt)] }
}

function describe(receipt: Receipt): Receipt {
  const { status, blockHash, blockNumber, gasUsed, transactionHash } = receipt
  const logs = receipt.logs.map(({ address, data, topics }) => ({ address, data, topics }))
  return { logs, status, blockHash, blockNumber, gasUsed, transactionHash }
}
