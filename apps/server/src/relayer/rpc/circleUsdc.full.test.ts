import { chainFacts, chains } from '@payment-intents/contract'
import type { SimulateTransfer } from '@payment-intents/core'
import type { DevAccount } from '@payment-intents/testing'
import {
  type Address,
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  parseAbi,
  toHex,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from 'viem/accounts'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { until } from '../../../../../tests/support/until.ts'
import { singleRelayer } from '../../../test/relayer/support/singleRelayer.ts'
import {
  type CircleCode,
  compileCircleUsdc,
  deploy,
  placeCircleUsdc,
  type Receipt,
} from '../../../test/support/chain/circleUsdc.ts'
import { readerOfTest } from '../../../test/support/chain/readerOfTest.ts'
import { sign } from '../../../test/support/chain/signAuthorization.ts'
import { type Signed, simulateAt } from '../../../test/support/server/authorizing.ts'
import { type Json, post, randomWallet } from '../../../test/support/server/testServer.ts'
import { tokenCall } from './tokenCall.ts'

let code: CircleCode
let simulate: SimulateTransfer
const { reader, chain } = readerOfTest({
  gasless: { isConfigured: () => true, isOffered: () => true },
  simulateTransfer: (...requested) => simulate(...requested),
  async prepare(started) {
    code = await compileCircleUsdc()
    const holders = started.accounts.map(({ address }) => address)
    await placeCircleUsdc(started, code, { token: started.token, name: 'USDC', holders })
  },
})

beforeEach(() => {
  simulate = simulateAt(chain.url)
})

const account = (index: number) => chain.accounts[index] as DevAccount
const abi = parseAbi([
  'function pause()',
  'function blacklist(address account)',
  'function transfer(address to, uint256 amount) returns (bool)',
  'function version() view returns (string)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function receiveWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
])

async function send(from: Address, data: Hex, more: object = {}): Promise<Receipt> {
  const call = { from, to: chain.token, data, gas: '0x7a120', ...more }
  const hash = await chain.rpc('eth_sendTransaction', [call])
  await chain.mine()
  return chain.rpc<Receipt>('eth_getTransactionReceipt', [hash])
}

/** An account without the native coin, with this many units of USDC. */
async function payer(amount: number): Promise<DevAccount> {
  const privateKey = generatePrivateKey()
  const address = privateKeyToAddress(privateKey)
  await chain.pay({ from: account(4).address, to: address, amount: BigInt(amount) })
  return { address, privateKey }
}

/** The offer of resolve, signed by a key; `as` is the paying account. */
async function signed(intent: Json, by: DevAccount, as: Address = by.address): Promise<Signed> {
  const { gasless } = await reader.resolved(intent)
  const authorization = { from: as, ...gasless.message }
  return { authorization, signature: await sign(chain, by, authorization) }
}

async function submitAuthorization({ client_secret }: Json, body: Signed): Promise<Json> {
  const response = await post(reader.server, '/v1/payment_intents/authorize', {
    client_secret,
    ...body,
  })
  return { ...((await response.json()) as Json), status: response.status }
}

/**
 * The relayer submits an intent's authorization.
 * @returns the gas of its transaction
 */
async function relay(intent: Json): Promise<number> {
  const relayer = singleRelayer(reader)
  const hash = await until(async () => {
    await relayer.cycle()
    return (await relayer.sent(intent))[0] ?? expect.fail('nothing was sent')
  })
  await chain.mine()
  const { status, gasUsed } = await chain.rpc<Receipt>('eth_getTransactionReceipt', [hash])
  expect(status).toBe('0x1')
  return Number(gasUsed)
}

const domain = () => {
  return { name: 'USDC', version: '2', chainId: chain.chainId, verifyingContract: chain.token }
}

/** Code that delegates every call to another account (EIP-7702). */
const delegated = (to: Address): Hex => concat(['0xef0100', to])

async function contractWallet({ address }: DevAccount): Promise<Address> {
  const owner = encodeAbiParameters([{ type: 'address' }], [address])
  return deploy(chain, account(0).address, code.wallet + owner.slice(2))
}

test('is the token that the payment method was made for: its version, and its domain on each network', async () => {
  const call = (functionName: 'version' | 'DOMAIN_SEPARATOR', to: Address) =>
    chain.rpc<Hex>('eth_call', [
      { to, data: encodeFunctionData({ abi, functionName }) } as never,
      'latest',
    ])
  expect(BigInt(await call('version', chain.token))).toBeGreaterThan(0n)
  const separators = [
    ['base', 'mainnet', '0x02fa7265e7c5d81118673727957699e4d68f74cd74b7db77da710fe8a2c7834f'],
    ['base', 'testnet', '0x71f17a3b2ff373b803d70a5a07c046c1a2bc8e89c09ef722fcb047abe94c9818'],
    ['polygon', 'mainnet', '0xcaa2ce1a5703ccbe253a34eb3166df60a705c561b44b192061e28f2a985be2ca'],
    ['polygon', 'testnet', '0x5cddc98319864e897e4469bd1d13c2288c677047b54b8cca12bd342adb6be9eb'],
  ] as const
  expect(separators).toHaveLength(chains.length)
  onTestFinished(() => void chain.rpc('anvil_setChainId', [chain.chainId]))
  const devChainId = chain.chainId
  for (const [name, mode, separator] of separators) {
    const { chainId, usdc, usdcDomainName } = chainFacts(mode, name)
    if (chainId !== devChainId) {
      const holders = [account(0).address]
      await placeCircleUsdc(chain, code, { token: usdc, name: usdcDomainName, holders })
    }
    await chain.rpc('anvil_setChainId', [chainId])
    expect([name, mode, await call('DOMAIN_SEPARATOR', usdc)]).toEqual([name, mode, separator])
    await chain.rpc('anvil_setChainId', [devChainId])
  }
})

describe('a payer without gas pays, within the limit of gas', () => {
  /** @returns the gas that it used */
  const paid = async (intent: Json, body: Signed) => {
    expect(await submitAuthorization(intent, body)).toMatchObject({ status: 200 })
    const gas = await relay(intent)
    await reader.settle()
    expect(await reader.resolved(intent)).toMatchObject({
      status: 'succeeded',
      exceptions: [],
      authorization: { status: 'used' },
    })
    const { rows } = await reader.db.pool.query(
      'select bound_by, log_index from transfers where intent_id = $1',
      [intent.id],
    )
    // The token logs the use of the authorization, then the transfer.
    expect(rows).toEqual([{ bound_by: 'authorization', log_index: 1 }])
    return gas
  }

  test('from an account of a key, to a wallet that had nothing and to a wallet that had some', async () => {
    const [firstIntent, secondIntent] = [await reader.create(), await reader.create()]
    const by = await payer(75_000_000)
    expect(BigInt(await chain.rpc<Hex>('eth_getBalance', [by.address, 'latest']))).toBe(0n)
    expectAbout(await paid(firstIntent, await signed(firstIntent, by)), 103_000)
    expectAbout(await paid(secondIntent, await signed(secondIntent, by)), 86_000)
  })

  test('from a contract that checks the signature (EIP-1271)', async () => {
    const intent = await reader.create()
    const owner = await payer(0)
    const wallet = await contractWallet(owner)
    await chain.pay({ from: account(4).address, to: wallet, amount: 75_000_000n })
    expectAbout(await paid(intent, await signed(intent, owner, wallet)), 108_000)
  })

  test('from an account of a key whose calls go to code (EIP-7702)', async () => {
    const intent = await reader.create()
    const by = await payer(75_000_000)
    const wallet = await contractWallet(by)
    // The code reads the account's own storage, where the owner is the first word.
    await chain.rpc('anvil_setStorageAt', [
      by.address,
      toHex(0, { size: 32 }),
      `0x${by.address.slice(2).padStart(64, '0')}`,
    ])
    await chain.rpc('anvil_setCode', [by.address, delegated(wallet)])
    expectAbout(await paid(intent, await signed(intent, by)), 111_000)
  })

  test('by either form of the call, no matter who submits it', async () => {
    for (const form of ['v, r, s', 'bytes'] as const) {
      const call = callOf(await freely(await payer(75_000_000)), form === 'bytes')
      const receipt = await send(account(3).address, call.data, { gas: toHex(call.gas) })
      expect([form, receipt.status]).toEqual([form, '0x1'])
      expectAbout(Number(receipt.gasUsed), 103_500)
    }
  })
})

/** The figures of docs/operate.md. They vary a little: zeros in calldata are cheaper. */
function expectAbout(gas: number, expected: number): void {
  expect(Math.abs(gas - expected), `${gas} is about ${expected}`).toBeLessThan(1_500)
}

/** An authorization for a wallet that had nothing. */
async function freely(by: DevAccount): Promise<Signed> {
  const authorization = {
    ...{ from: by.address, to: randomWallet(), value: '25000000', validAfter: '0' },
    ...{ validBefore: String(2n ** 40n), nonce: keccak256(by.address) },
  }
  return { authorization, signature: await sign(chain, by, authorization) }
}

function callOf({ authorization, signature }: Signed, hasCode: boolean) {
  const terms = {
    token: chain.token,
    authorizer: authorization.from,
    recipient: authorization.to,
    nonce: authorization.nonce,
  }
  const times = {
    validAfter: BigInt(authorization.validAfter),
    validBefore: BigInt(authorization.validBefore),
  }
  const input = { ...terms, ...times, amount: BigInt(authorization.value), signature }
  return tokenCall(input as Parameters<typeof tokenCall>[0], { hasCode })
}

describe('an authorization that the token refuses is refused at its submission', () => {
  const owner = () => account(0).address
  const call = (functionName: 'pause' | 'blacklist', args: unknown[] = []) =>
    send(owner(), encodeFunctionData({ abi, functionName, args } as never))

  test.each<[string, (by: DevAccount, intent: Json) => Promise<unknown>]>([
    ['token_paused', () => call('pause')],
    ['address_blocked', ({ address }) => call('blacklist', [address])],
    ['address_blocked', (_, intent) => call('blacklist', [intent.expected_wallet])],
    [
      'authorization_used',
      async (by, intent) => {
        const { authorization } = await signed(intent, by)
        const spent = { ...authorization, value: '1' }
        const { data } = callOf(
          { authorization: spent, signature: await sign(chain, by, spent) },
          true,
        )
        expect((await send(account(3).address, data)).status).toBe('0x1')
      },
    ],
    [
      'authorization_used',
      async (by, intent) => {
        const { v, r, s } = await cancellation(by, intent.payment_reference)
        const args = [by.address, intent.payment_reference, Number(v), r, s]
        const canceling = { abi, functionName: 'cancelAuthorization', args }
        const data = encodeFunctionData(canceling as never)
        expect((await send(account(3).address, data)).status).toBe('0x1')
      },
    ],
    [
      'insufficient_token',
      async (by) => {
        await chain.rpc('anvil_setBalance', [by.address, toHex(10n ** 18n)])
        await chain.rpc('anvil_impersonateAccount', [by.address])
        const args = [account(4).address, 1n] as const
        await send(by.address, encodeFunctionData({ abi, functionName: 'transfer', args }))
      },
    ],
  ])('%s', async (reason, before) => {
    const intent = await reader.create()
    const by = await payer(25_000_000)
    const body = await signed(intent, by)
    await before(by, intent)
    expect(await submitAuthorization(intent, body)).toMatchObject({
      status: 409,
      error: 'conflict',
      reason,
    })
  })

  test('a signature of another key, and of a contract whose owner did not sign', async () => {
    const intent = await reader.create()
    const [by, otherPayer] = [await payer(25_000_000), await payer(0)]
    const wallet = await contractWallet(by)
    await chain.pay({ from: account(4).address, to: wallet, amount: 25_000_000n })
    for (const as of [by.address, wallet]) {
      const body = await signed(intent, otherPayer, as)
      expect(await submitAuthorization(intent, body)).toMatchObject({
        status: 400,
        reason: 'signature_invalid',
      })
    }
  })
})

async function cancellation({ privateKey, address }: DevAccount, nonce: Hex) {
  const signature = await privateKeyToAccount(privateKey).signTypedData({
    domain: domain(),
    primaryType: 'CancelAuthorization',
    types: {
      CancelAuthorization: [
        { name: 'authorizer', type: 'address' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    message: { authorizer: address, nonce },
  })
  return {
    r: signature.slice(0, 66),
    s: `0x${signature.slice(66, 130)}`,
    v: `0x${signature.slice(130)}`,
  }
}

test('the reader binds transactions of other submitters, and a transfer with the reference', async () => {
  // The chain's own accounts have just received tokens, so use another.
  const shop = privateKeyToAddress(generatePrivateKey())
  await chain.rpc('anvil_setBalance', [shop, toHex(10n ** 18n)])
  await chain.rpc('anvil_impersonateAccount', [shop])
  const [submitted, received, byHand, sent] = [
    await reader.create(),
    await reader.create({ wallet_address: shop }),
    await reader.create(),
    await reader.create(),
  ]
  const by = await payer(75_000_000)
  const ours = callOf(await signed(submitted, by), false)
  await send(account(3).address, ours.data)
  const { authorization } = await signed(received, by)
  const signature = await privateKeyToAccount(by.privateKey).signTypedData({
    ...{ domain: domain(), primaryType: 'ReceiveWithAuthorization', message: authorization },
    types: {
      ReceiveWithAuthorization: [
        { name: 'from', type: 'address' },
        { name: 'to', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'validAfter', type: 'uint256' },
        { name: 'validBefore', type: 'uint256' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
  } as never)
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  const times = [BigInt(validAfter), BigInt(validBefore)] as const
  const receiving = {
    ...{ abi, functionName: 'receiveWithAuthorization' },
    args: [from, to, BigInt(value), ...times, nonce, signature],
  }
  await send(shop, encodeFunctionData(receiving as never))
  await reader.pay(byHand, 'manual')
  await reader.pay(sent, 'reference', 25_000_000)
  await reader.settle()
  const boundBy = async ({ id }: Json) => {
    const { rows } = await reader.db.pool.query(
      'select bound_by, log_index from transfers where intent_id = $1',
      [id],
    )
    return rows.map(({ bound_by, log_index }) => `${bound_by} ${log_index}`)
  }
  const bound = await Promise.all([submitted, received, byHand, sent].map(boundBy))
  expect(bound).toEqual([
    ['authorization 1'],
    ['authorization 1'],
    ['payable_amount 0'],
    ['reference 0'],
  ])
  for (const intent of [submitted, received, byHand, sent]) {
    expect((await reader.resolved(intent)).status).toBe('succeeded')
  }
})
