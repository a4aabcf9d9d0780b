import { type Address, type Client, encodeFunctionData, type Hex, parseAbi } from 'viem'
import { creationCode } from '../../contracts/creationCode.ts'
import { pause } from '../lib/pause.ts'

const initialAmount = 1_000_000_000_000n
const abi = parseAbi(['function initialize(address[] holders, uint256 amount)'])

/**
 * Puts the test USDC at `token` and gives each holder 1,000,000 USDC; the first becomes its owner.
 * A chain restored from its file has both already and is left as it is.
 */
export async function placeToken(client: Client, token: Address, holders: readonly Address[]) {
  const [owner] = holders
  if (!owner) throw new Error('The token needs an owner.')
  if ((await client.request({ method: 'eth_getCode', params: [token, 'latest'] })) !== '0x') return

  // `eth_call` of the constructor returns the runtime code with its immutables.
  const code = await client.request({
    method: 'eth_call',
    params: [{ from: owner, data: creationCode }, 'latest'],
  })
  await send(client, 'anvil_setCode', [token, code])
  const data = encodeFunctionData({
    abi,
    functionName: 'initialize',
    args: [holders, initialAmount],
  })
  const hash = await send<Hex>(client, 'eth_sendTransaction', [{ from: owner, to: token, data }])
  // Does not wait for the block time; without a block time anvil mines soon after its response.
  if (!(await send<boolean>(client, 'anvil_getAutomine', []))) await send(client, 'evm_mine', [])
  const readReceipt = () => client.request({ method: 'eth_getTransactionReceipt', params: [hash] })
  let receipt = await readReceipt()
  while (!receipt) {
    await pause(5)
    receipt = await readReceipt()
  }
  if (receipt.status !== '0x1') throw new Error('The test token could not be initialised.')
  await send(client, 'anvil_setTime', [Math.floor(Date.now() / 1_000)])
}

function send<result>(client: Client, method: string, params: readonly unknown[]): Promise<result> {
  return client.request({ method, params } as never) as Promise<result>
}
