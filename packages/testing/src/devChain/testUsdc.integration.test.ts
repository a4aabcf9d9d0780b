import { chainFacts } from '@payment-intents/contract/chains'
import {
  type Address,
  createWalletClient,
  encodeFunctionData,
  getContract,
  type Hex,
  http,
  keccak256,
  pad,
  parseAbi,
  parseEventLogs,
  parseSignature,
  publicActions,
  toHex,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { baseSepolia } from 'viem/chains'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { account, devAccount, tokenBalance, untilMined } from '../../test/testSupport.ts'
import { type DevChain, startDevChain } from './startDevChain.ts'

const abi = parseAbi([
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function version() view returns (string)',
  'function totalSupply() view returns (uint256)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function paused() view returns (bool)',
  'function pause()',
  'function unpause()',
  'function blacklist(address account)',
  'function unBlacklist(address account)',
  'function isBlacklisted(address account) view returns (bool)',
  'function mint(address to, uint256 amount) returns (bool)',
  'function initialize(address[] holders, uint256 amount)',
  'function transferFrom(address from, address to, uint256 value) returns (bool)',
  'function allowance(address owner, address spender) view returns (uint256)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
  'function permit(address owner, address spender, uint256 value, uint256 deadline, bytes signature)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  'function receiveWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function receiveWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  'function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
])
const facts = chainFacts('testnet', 'base')
const domain = {
  name: 'USDC',
  version: '2',
  chainId: 84532,
  verifyingContract: facts.usdc,
} as const
const shop: Address = '0x2222222222222222222222222222222222222222'
const forever = 2n ** 40n
const authorizationFields = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
] as const

let chain: DevChain
beforeAll(async () => {
  chain = await startDevChain({ blockTime: 0 })
})
afterAll(() => chain.stop())

let snapshot: Hex
beforeEach(async () => {
  snapshot = await chain.rpc('evm_snapshot')
})
afterEach(() => chain.rpc('evm_revert', [snapshot]))

/** A wallet of one of the accounts; its writes return once they are mined. */
function as(index: number) {
  const wallet = createWalletClient({
    account: privateKeyToAccount(devAccount(chain, index).privateKey),
    chain: baseSepolia,
    transport: http(chain.url),
    pollingInterval: 10,
  }).extend(publicActions)
  const writeContract = async (call: Parameters<typeof wallet.writeContract>[0]) => {
    const hash = await wallet.writeContract(call)
    // viem polls once per block, and no further block comes.
    await untilMined(chain, hash)
    return hash
  }
  return { ...wallet, writeContract: writeContract as typeof wallet.writeContract }
}

/** The token, called from an account. */
function token(index: number) {
  return getContract({ abi, address: facts.usdc, client: as(index) })
}

async function signAuthorization(
  primaryType: 'TransferWithAuthorization' | 'ReceiveWithAuthorization',
  changes: { to?: Address; nonce?: Hex; validAfter?: bigint; validBefore?: bigint } = {},
) {
  const from = account(chain, 1)
  const nonce = pad('0x77', { size: 32 })
  const message = {
    from,
    to: shop,
    value: 5_000_000n,
    validAfter: 0n,
    validBefore: forever,
    nonce,
    ...changes,
  }
  const signature = await as(1).signTypedData({
    domain,
    primaryType,
    types: { [primaryType]: authorizationFields },
    message,
  } as never)
  const { to, value, validAfter, validBefore } = message
  return {
    args: [from, to, value, validAfter, validBefore, message.nonce] as const,
    signature,
    ...vrs(signature),
  }
}

function vrs(signature: Hex) {
  const { r, s, yParity } = parseSignature(signature)
  return { v: yParity + 27, r, s }
}

async function transferWithAuthorization(signed: Awaited<ReturnType<typeof signAuthorization>>) {
  const args = [...signed.args, signed.v, signed.r, signed.s] as const
  const hash = await token(2).write.transferWithAuthorization(args)
  return as(2).getTransactionReceipt({ hash })
}

describe('identity', () => {
  it('has the name, decimals and signing domain of the official token', async () => {
    const { read } = token(0)
    expect(await read.name()).toBe('USDC')
    expect(await read.symbol()).toBe('USDC')
    expect(await read.decimals()).toBe(6)
    expect(await read.version()).toBe('2')
    expect(await read.DOMAIN_SEPARATOR()).toBe(
      '0x71f17a3b2ff373b803d70a5a07c046c1a2bc8e89c09ef722fcb047abe94c9818',
    )
  })

  it('has the selectors of the official token', async () => {
    const code = await as(0).getCode({ address: facts.usdc })
    const selectors = {
      'permit with v, r, s': 'd505accf',
      'permit with bytes': '9fd5a6cf',
      'transferWithAuthorization with v, r, s': 'e3ee160e',
      'transferWithAuthorization with bytes': 'cf092995',
      'receiveWithAuthorization with v, r, s': 'ef55bec6',
      'receiveWithAuthorization with bytes': '88b7ab63',
      'cancelAuthorization with v, r, s': '5a049a70',
      'cancelAuthorization with bytes': 'b7b72899',
      authorizationState: 'e94a0102',
    }
    for (const [name, selector] of Object.entries(selectors)) {
      expect(code, name).toContain(`63${selector}`)
    }
  })

  it('is initialised once', async () => {
    await expect(token(1).write.initialize([[shop], 1n])).rejects.toThrow()
  })
})

describe('the owner', () => {
  it('mints', async () => {
    await token(0).write.mint([shop, 9n])
    expect(await tokenBalance(chain, shop)).toBe(9n)
    expect(await token(0).read.totalSupply()).toBe(10_000_000_000_009n)
  })

  it('alone mints, pauses and blacklists', async () => {
    const calls = [
      encodeFunctionData({ abi, functionName: 'mint', args: [shop, 1n] }),
      encodeFunctionData({ abi, functionName: 'pause' }),
      encodeFunctionData({ abi, functionName: 'unpause' }),
      encodeFunctionData({ abi, functionName: 'blacklist', args: [shop] }),
      encodeFunctionData({ abi, functionName: 'unBlacklist', args: [shop] }),
    ]
    for (const data of calls) {
      await expect(as(1).sendTransaction({ to: facts.usdc, data })).rejects.toThrow()
    }
  })
})

describe('transfer', () => {
  it('reverts while the token is paused', async () => {
    await token(0).write.pause()
    expect(await token(0).read.paused()).toBe(true)
    const payment = { from: account(chain, 1), to: shop, amount: 1n }
    await expect(chain.pay(payment)).rejects.toThrow('Pausable: paused')
    await token(0).write.unpause()
    await chain.pay(payment)
    expect(await tokenBalance(chain, shop)).toBe(1n)
  })

  it.each(['sender', 'recipient'])('reverts when the %s is blacklisted', async (side) => {
    const from = account(chain, 1)
    const listed = side === 'sender' ? from : shop
    await token(0).write.blacklist([listed])
    expect(await token(0).read.isBlacklisted([listed])).toBe(true)
    const payment = { from, to: shop, amount: 1n }
    await expect(chain.pay(payment)).rejects.toThrow('account is blacklisted')
    await token(0).write.unBlacklist([listed])
    await chain.pay(payment)
    expect(await tokenBalance(chain, shop)).toBe(1n)
  })
})

describe('transferWithAuthorization', () => {
  it('emits AuthorizationUsed and, in the next log, Transfer', async () => {
    const signed = await signAuthorization('TransferWithAuthorization')
    const { logs } = await transferWithAuthorization(signed)
    const nonce = signed.args[5]
    expect(logs.map((log) => log.logIndex)).toEqual([0, 1])
    expect(parseEventLogs({ abi, logs })).toMatchObject([
      { eventName: 'AuthorizationUsed', args: { authorizer: account(chain, 1), nonce } },
      { eventName: 'Transfer', args: { from: account(chain, 1), to: shop, value: 5_000_000n } },
    ])
    expect(logs[0]?.topics[0]).toBe(keccak256(toHex('AuthorizationUsed(address,bytes32)')))
    expect(await token(0).read.authorizationState([account(chain, 1), nonce])).toBe(true)
  })

  it('works once', async () => {
    const signed = await signAuthorization('TransferWithAuthorization')
    await transferWithAuthorization(signed)
    await expect(transferWithAuthorization(signed)).rejects.toThrow()
    expect(await tokenBalance(chain, shop)).toBe(5_000_000n)
  })

  it('takes nonces in any order', async () => {
    for (const value of ['0x09', '0x03'] as const) {
      const nonce = pad(value, { size: 32 })
      await transferWithAuthorization(
        await signAuthorization('TransferWithAuthorization', { nonce }),
      )
    }
    expect(await tokenBalance(chain, shop)).toBe(10_000_000n)
  })

  it('reverts before its time, after its time, and with another signer', async () => {
    const { timestamp } = await as(0).getBlock()
    const early = await signAuthorization('TransferWithAuthorization', { validAfter: forever - 1n })
    const late = await signAuthorization('TransferWithAuthorization', { validBefore: timestamp })
    const foreign = await signAuthorization('ReceiveWithAuthorization')
    for (const signed of [early, late, foreign]) {
      await expect(transferWithAuthorization(signed)).rejects.toThrow()
    }
  })

  it('also takes the signature as bytes', async () => {
    const { args, signature } = await signAuthorization('TransferWithAuthorization')
    await token(2).write.transferWithAuthorization([...args, signature])
    expect(await tokenBalance(chain, shop)).toBe(5_000_000n)
  })

  it('reverts once canceled', async () => {
    const signed = await signAuthorization('TransferWithAuthorization')
    const [authorizer, , , , , nonce] = signed.args
    const { v, r, s } = vrs(
      await as(1).signTypedData({
        domain,
        primaryType: 'CancelAuthorization',
        types: {
          CancelAuthorization: [
            { name: 'authorizer', type: 'address' },
            { name: 'nonce', type: 'bytes32' },
          ],
        },
        message: { authorizer, nonce },
      }),
    )
    await token(2).write.cancelAuthorization([authorizer, nonce, v, r, s])
    await expect(transferWithAuthorization(signed)).rejects.toThrow()
  })
})

describe('receiveWithAuthorization', () => {
  it('works for the recipient alone', async () => {
    const to = account(chain, 3)
    const { args, v, r, s } = await signAuthorization('ReceiveWithAuthorization', { to })
    const signed = [...args, v, r, s] as const
    await expect(token(2).write.receiveWithAuthorization(signed)).rejects.toThrow()
    await token(3).write.receiveWithAuthorization(signed)
    expect(await tokenBalance(chain, to)).toBe(1_000_005_000_000n)
  })
})

describe('permit', () => {
  it('allows the spender the signed amount, and counts it down', async () => {
    const [owner, spender] = [account(chain, 1), account(chain, 2)]
    const value = 2n ** 256n - 1n
    const signature = await as(1).signTypedData({
      domain,
      primaryType: 'Permit',
      types: {
        Permit: [
          { name: 'owner', type: 'address' },
          { name: 'spender', type: 'address' },
          { name: 'value', type: 'uint256' },
          { name: 'nonce', type: 'uint256' },
          { name: 'deadline', type: 'uint256' },
        ],
      },
      message: { owner, spender, value, nonce: 0n, deadline: forever },
    })
    const { v, r, s } = vrs(signature)
    const permit = [owner, spender, value, forever, v, r, s] as const
    await token(2).write.permit(permit)
    await expect(token(2).write.permit(permit)).rejects.toThrow('invalid signature')
    await token(2).write.transferFrom([owner, shop, 3n])
    expect(await tokenBalance(chain, shop)).toBe(3n)
    expect(await token(0).read.allowance([owner, spender])).toBe(value - 3n)
  })
})
