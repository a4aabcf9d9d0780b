/** Refusals of log queries. Each provider has its own words, and the same codes mean other things elsewhere. */
export const refusals: readonly (readonly [name: string, code: number, words: string])[] = [
  [
    'Alchemy',
    -32602,
    'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size, or you can request any block range with a cap of 10K logs in the response.',
  ],
  [
    'Alchemy, free',
    -32600,
    'Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Based on your parameters, this block range should work: [0x1, 0x3].',
  ],
  [
    'Infura',
    -32005,
    'query returned more than 10000 results. Try with this block range [0x1, 0x3].',
  ],
  ['QuickNode', -32614, 'eth_getLogs is limited to a 5 range'],
  ['Ankr', -32600, 'block range is too wide'],
  ['Ankr, by distance', -32602, 'maximum [from, to] blocks distance: 3'],
  [
    'Chainstack',
    -32000,
    'Block range limit exceeded. See more details at https://docs.chainstack.com/docs/limits',
  ],
  ['Coinbase', -32000, 'please limit the query to at most 3 blocks'],
  ['Coinbase, by rows', -32602, 'too many rows'],
  ['thirdweb', -32602, 'Maximum allowed number of requested blocks is 3'],
  ['dRPC', 35, 'ranges over 10000 blocks are not supported on freetier'],
  ['Cloudflare', -32047, 'Invalid eth_getLogs request. Max range: 3'],
  ['1RPC', -32001, 'eth_getLogs is limited to a 0 - 3 blocks range'],
  ['1RPC, by bytes', -32001, 'response size should not greater than 10000000 bytes'],
  ['BlockPI', -32602, 'eth_getLogs is limited to 3 block range'],
  ['Blast', -32600, 'exceeds the range allowed for your plan (11 > 3)'],
  ['PublicNode', -32701, 'exceed maximum block range: 3'],
  ['LlamaRPC', -32602, 'query exceeds max results 20000, retry with the range 1-3'],
  ['Merkle', -32005, 'eth_getLogs range is too large, max is 1k blocks'],
  ['Tenderly', -32602, 'too wide'],
  ['NodeReal', -32005, 'exceed max entries'],
  ['GetBlock', -32001, 'Upgrade your plan to look further back'],
  ['Moralis', -32005, 'archive depth of this key is 3'],
  ['Base, public', -32011, 'no backend is currently healthy to serve traffic'],
  ['Optimism, public', -32602, 'backend response too large'],
  ['geth', -32000, 'query timeout exceeded'],
  ['geth, later', -32602, 'invalid block range params'],
  ['erigon', -32000, 'requested too many logs: 20001 (max 20000)'],
  ['bor', -32000, 'operation timed out'],
  ['nethermind', -32016, 'Too many logs requested. Max logs per response is 3.'],
  ['besu', -32005, 'Requested range exceeds maximum RPC range limit'],
  ['reth', -32602, 'query exceeds max block range 3'],
  ['eRPC', -32012, 'range threshold exceeded'],
  ['nobody yet', -1, 'Nein.'],
  ['nobody yet, at length', 1, 'The moon is in the wrong house for a question of this kind'],
  ['nobody yet, without words', 0, ''],
]

export function refusalOf(provider: string): { readonly code: number; readonly words: string } {
  const refusal = refusals.find(([name]) => name === provider)
  if (!refusal) throw new Error(`no refusal of ${provider}`)
  const [, code, words] = refusal
  return { code, words }
}
