import { getAddress, hashDomain } from 'viem'
import { describe, expect, test } from 'vitest'
import { type Chain, chainFacts, chains, type Mode, usdcDomainVersion } from './chains.ts'

describe.each(chains)('$name', (facts) => {
  test('has the EIP-712 domain separator of its USDC, so that id, address and name match', () => {
    const separator = hashDomain({
      domain: {
        name: facts.usdcDomainName,
        version: usdcDomainVersion,
        chainId: BigInt(facts.chainId),
        verifyingContract: facts.usdc,
      },
      types: {
        EIP712Domain: [
          { name: 'name', type: 'string' },
          { name: 'version', type: 'string' },
          { name: 'chainId', type: 'uint256' },
          { name: 'verifyingContract', type: 'address' },
        ],
      },
    })
    expect(separator).toBe(facts.usdcDomainSeparator)
  })

  test('has checksummed addresses', () => {
    expect(facts.usdc).toBe(getAddress(facts.usdc))
    if (facts.lookalike) expect(facts.lookalike.address).toBe(getAddress(facts.lookalike.address))
  })

  test('is found by mode and chain', () => {
    expect(chainFacts(facts.mode, facts.chain)).toBe(facts)
  })
})

test('the published facts', () => {
  const rows = chains.map(({ chain, mode, chainId, usdc, explorerUrl, confirmationsRequired }) => [
    ...[chain, mode, chainId, usdc, explorerUrl, confirmationsRequired],
  ])
  expect(rows).toMatchInlineSnapshot(`
    [
      [
        "base",
        "mainnet",
        8453,
        "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
        "https://basescan.org",
        5,
      ],
      [
        "base",
        "testnet",
        84532,
        "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
        "https://sepolia.basescan.org",
        5,
      ],
      [
        "polygon",
        "mainnet",
        137,
        "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359",
        "https://polygonscan.com",
        20,
      ],
      [
        "polygon",
        "testnet",
        80002,
        "0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582",
        "https://amoy.polygonscan.com",
        20,
      ],
    ]
  `)
})

test('a network that does not exist is a clear error', () => {
  expect(() => chainFacts('testnet' as Mode, 'solana' as Chain)).toThrow(
    'There is no solana testnet',
  )
})
