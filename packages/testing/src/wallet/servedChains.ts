import { callRpc } from './callRpc.ts'

/** A chain that the wallet can reach. */
export type ServedChain = {
  /** In hexadecimal. */
  readonly chainId: string
  readonly rpcUrl: string
}

/**
 * The chains behind these URLs, in their order, without those that do not answer.
 *
 * @throws RpcError 4900 when none answers
 */
export async function servedChains(urls: readonly string[]): Promise<ServedChain[]> {
  const asked = await Promise.allSettled(
    urls.map(async (rpcUrl) => ({
      chainId: await callRpc<string>(rpcUrl, 'eth_chainId', []),
      rpcUrl,
    })),
  )
  const served = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const [failure] = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  if (served.length === 0 && failure) throw failure
  return served
}
