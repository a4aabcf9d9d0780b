import { type FaultProxy, RawJson } from './faultProxy.ts'

/** The number of empty logs that 2^24 gas, the maximum of a transaction (EIP-7825), pays for: a receipt of 15 MB. */
const emptyLogs = 41_600

/** `false`: the gas limits of the transactions hide the size of their receipts. */
type Gas = 'true' | 'false'

/**
 * Makes proxies respond with the receipts of transactions that use up their gas with empty logs. A real chain takes
 * seconds to create a few of them.
 * @param isStuffed whether to replace a receipt
 */
export function stuffReceipts(
  proxies: readonly FaultProxy[],
  isStuffed: (txHash: string) => boolean,
  gas: Gas = 'true',
): void {
  for (const proxy of proxies) {
    proxy.faults.instead = async (method, forward, [hash]) => {
      const honest = await forward()
      if (!isStuffed(String(hash)) || honest === null) return honest
      if (method === 'eth_getTransactionByHash') {
        return gas === 'true' ? { ...(honest as object), gas: '0x1000000' } : honest
      }
      return method === 'eth_getTransactionReceipt' ? stuffed(honest as Receipt) : honest
    }
  }
}

const stranger = { address: '0xf1000000000000000000000000000000000000dd' }

type Receipt = Readonly<Record<string, unknown>> & { readonly logs: readonly object[] }

/** Repeats the same log, which costs as much as the text of a real provider. */
function stuffed({ logs, ...receipt }: Receipt): RawJson {
  const empty = JSON.stringify({
    ...logs[0],
    ...stranger,
    topics: [],
    data: '0x',
    logIndex: '0xffff',
  })
  const many = `,${empty}`.repeat(emptyLogs / 100)
  return new RawJson(
    JSON.stringify(receipt).slice(0, -1),
    ',"logs":[',
    logs.map((log) => JSON.stringify(log)).join(','),
    ...Array.from({ length: 100 }, () => many),
    ']}',
  )
}
