import type { Providers } from '../../chain/providers/providers.ts'
import type { Connection } from '../../chain/rpc/rpcConnection.ts'
import { createRelayRpc, type RelayRpc } from './relayRpc.ts'

const relayRpcs = new WeakMap<Connection, RelayRpc>()

/** Chooses the provider to read from, and all ready providers for rebroadcasts. null: no provider responds. */
export async function chooseRpc(
  providers: Providers,
): Promise<{ rpc: RelayRpc; all: readonly RelayRpc[]; failed(error: unknown): void } | null> {
  if (!providers.choose()) await providers.checkHealth()
  const reader = providers.choose()
  const ready = providers
    .report()
    .flatMap(({ isReady }, index) => (isReady ? (providers.connections[index] ?? []) : []))
  const [rpc, ...others] = ready.map(rpcOf)
  if (!reader || !rpc) return null
  return { rpc, all: [rpc, ...others], failed: (error) => reader.failed(error) }
}

function rpcOf(connection: Connection): RelayRpc {
  const rpc = relayRpcs.get(connection) ?? createRelayRpc(connection)
  relayRpcs.set(connection, rpc)
  return rpc
}
