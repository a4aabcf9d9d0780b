import { callRpc } from './callRpc.ts'

/** A chain that the wallet can reach. */
export type ReachableChain = {
  /** In hexadecimal. */
  readonly chainId: string
  readonly rpcUrl: string
}

/**
 * The chains behind these URLs, in order, without unreachable chains.
 *
 * @throws RpcError 4900 when none can be reached
 */
export async function reachableChains(urls: readonly string[]): Promise<ReachableChain[]> {
  const results = await Promise.allSettled(
    urls.map(async (rpcUrl) => ({
      chainId: await callRpc<string>(rpcUrl, 'eth_chainId', []),
      rpcUrl,
    })),
  )
  const reachable = results.flatMap((result) =>
    result.status === 'fulfilled' ? [result.value] : [],
  )
  const [failure] = results.flatMap((result) =>
    result.status === 'rejected' ? [result.reason] : [],
  )
  if (reachable.length === 0 && failure) throw failure
  return reachable
}
