import { RpcError } from '../walletRpcError.ts'

/** A typed message (EIP-712), as pages send it to wallets. */
export type TypedData = {
  readonly types: Readonly<
    Record<string, readonly { readonly name: string; readonly type: string }[]>
  >
  readonly primaryType: string
  readonly domain: Readonly<Record<string, unknown>>
  readonly message: Readonly<Record<string, unknown>>
}

/**
 * The account and the message in the parameters of `eth_signTypedData_v4`.
 *
 * @param chainId of the wallet, in hexadecimal: like others, it signs nothing for another chain
 * @throws RpcError −32602 when the message is malformed or for another chain
 */
export function readTypedData(
  params: unknown,
  chainId: string,
): { account: unknown; typedData: TypedData } {
  const [account, text] = Array.isArray(params) ? params : []
  const typedData = parse(text)
  if (!typedData) {
    throw new RpcError(
      -32602,
      'A typed message has `types`, `primaryType`, `domain` and `message`.',
    )
  }
  const { chainId: requested } = typedData.domain
  if (requested !== undefined && Number(requested) !== Number(chainId)) {
    const message = `The message is for chain ${requested}, and this wallet is on chain ${Number(chainId)}.`
    throw new RpcError(-32602, message)
  }
  return { account, typedData }
}

function parse(text: unknown): TypedData | null {
  try {
    const data = JSON.parse(String(text))
    const parts = [data.types, data.domain, data.message]
    const isComplete = parts.every((part) => typeof part === 'object' && part !== null)
    return isComplete && data.primaryType in data.types ? data : null
  } catch {
    return null
  }
}
