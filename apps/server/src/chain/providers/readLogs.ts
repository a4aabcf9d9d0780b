import type { Rpc } from '../rpc/rpc.ts'
import { RpcError } from '../rpc/rpcError.ts'
import type { TransferLocation } from '../rpc/transferLogs.ts'
import * as health from './providerHealth.ts'

type LogRange = Parameters<Rpc['transfers']>[0]

/** The state of a provider that log queries change. */
type LogReader = {
  readonly rpc: Rpc
  health: health.Health
  /** The probe of the smallest log query, while it is in flight. */
  probing: Promise<boolean> | null
}

/**
 * Reads transfers, and learns how many blocks the provider accepts.
 * @throws {RpcError} `range` if the provider may serve fewer
 */
export async function readLogs(provider: LogReader, range: LogRange): Promise<TransferLocation[]> {
  try {
    const logs = await provider.rpc.transfers(range)
    if (range.to !== 'latest') {
      provider.health = health.tookRange(provider.health, blocksOf(provider, range))
    }
    return logs
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    if (await isTooLarge(provider, range, error)) {
      provider.health = health.refusedRange(provider.health, blocksOf(provider, range))
      throw new RpcError('range', error.message)
    }
    throw error.fault === 'range' ? new RpcError('unavailable', error.message) : error
  }
}

/** If the smallest query succeeds, a query that fails is too large. The provider's message does not matter. */
async function isTooLarge(
  provider: LogReader,
  { from }: LogRange,
  { fault }: RpcError,
): Promise<boolean> {
  // A first failure that is no refusal may be temporary.
  const isRepeated = provider.health.failures > 0 && fault !== 'contradiction'
  if (fault !== 'range' && !isRepeated) return false
  provider.probing ??= provider.rpc
    .probeLogs(from)
    .then(
      () => true,
      () => false,
    )
    .finally(() => {
      provider.probing = null
    })
  return provider.probing
}

function blocksOf({ health: { head, blockRange } }: LogReader, { from, to }: LogRange): number {
  const last = to === 'latest' ? head : to
  return last === null ? blockRange.blocks : Math.max(1, Number(last - from) + 1)
}
