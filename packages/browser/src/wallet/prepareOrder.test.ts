import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { payer, refuse, reverts, token, willing } from '../../test/support/scriptedProvider.ts'
import { gaslessIntent } from '../../test/support/testIntents.ts'
import { gaslessOf } from './authorization.ts'
import { encodeTransfer } from './encodeTransfer.ts'
import { prepareOrder, type WalletPayment } from './prepareOrder.ts'
import { requestWallet } from './requestWallet.ts'

afterEach(() => {
  vi.useRealTimers()
})

const payment = {
  network: {
    chainId: 84532,
    name: 'Base Sepolia',
    nativeSymbol: 'ETH',
    rpcUrl: 'https://rpc.example',
    explorerUrl: null,
  },
  token: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  to: `0x${'11'.repeat(20)}`,
  price: 25_000_000n,
  payable: 25_000_100n,
  reference: `0x${'ab'.repeat(32)}`,
  gasless: null,
  earlierSigner: null,
  isSponsored: false,
  unusable: [],
}

const txHash = `0x${'cd'.repeat(32)}`
const sent = { outcome: 'sent', txHash, batchId: null }

function pay(
  wallet: ReturnType<typeof willing>,
  signal = new AbortController().signal,
  changes: Partial<WalletPayment> = {},
) {
  const onStep = vi.fn()
  const prepareAndSend = async () => {
    const prepared = await prepareOrder(
      wallet.provider,
      { ...payment, ...changes },
      { onStep, signal },
    )
    if (prepared.outcome !== 'ready') return prepared
    return requestWallet(wallet.provider, prepared.order, signal)
  }
  return { outcome: prepareAndSend(), onStep }
}

/** The amount that the wallet received to transfer, in units. */
function requestedUnits(wallet: ReturnType<typeof willing>) {
  type WalletParams = { data?: string; calls?: { data: string }[] }
  const params = wallet.calls.at(-1)?.params[0] as WalletParams | undefined
  const data = params?.data ?? params?.calls?.[0]?.data ?? ''
  return BigInt(`0x${data.slice(74, 138)}`)
}

test('connects, switches, checks and requests the exact transfer', async () => {
  const wallet = willing({ eth_chainId: ['0x1', '0x14a34'], wallet_switchEthereumChain: null })
  const { outcome, onStep } = pay(wallet)
  expect(await outcome).toEqual(sent)
  expect(onStep.mock.calls.flat()).toEqual(['switching', 'checking'])
  expect(wallet.calls.at(-1)).toEqual({
    method: 'eth_sendTransaction',
    params: [
      {
        from: payer,
        to: payment.token,
        data: `0xa9059cbb${'0'.repeat(24)}${'11'.repeat(20)}${(25_000_000).toString(16).padStart(64, '0')}${'ab'.repeat(32)}`,
        value: '0x0',
        chainId: '0x14a34',
      },
    ],
  })
})

test('reports no switching when the wallet is on the chain', async () => {
  const { outcome, onStep } = pay(willing())
  await outcome
  expect(onStep.mock.calls.flat()).toEqual(['checking'])
})

test('sends the first request before the click handler returns', () => {
  const wallet = willing()
  pay(wallet)
  expect(wallet.methods()).toEqual(['eth_requestAccounts'])
})

test('requests no approval or signature besides the transfer', async () => {
  const wallet = willing()
  await pay(wallet).outcome
  const prompts = wallet.methods().filter((method) => /sign|send|wallet_(?!get)/i.test(method))
  expect(prompts).toEqual(['eth_sendTransaction'])
})

test.each([
  ['eth_requestAccounts', refuse({ code: 4001 }), 'user_rejected'],
  ['eth_requestAccounts', [[]], 'wallet_unauthorized'],
  ['eth_requestAccounts', 'nonsense', 'wallet_unauthorized'],
  ['eth_chainId', refuse({ code: 4900 }), 'wallet_disconnected'],
  ['eth_call', token({ paused: 1n }), 'token_paused'],
  ['eth_call', token({ blocked: 1n, only: payer }), 'address_blocked'],
  ['eth_call', '0x', 'wrong_chain'],
  ['eth_call', refuse({ code: -32603, message: 'upstream timeout' }), 'network_error'],
  ['eth_getBalance', '0x1', 'insufficient_gas'],
  ['eth_estimateGas', refuse({ message: 'insufficient funds for gas' }), 'insufficient_gas'],
])(
  'a response to %s of %o stops the attempt before the payment request: %s',
  async (method, response, code) => {
    const wallet = willing({ [method]: response })
    expect(await pay(wallet).outcome).toEqual({ outcome: 'failed', problem: { code } })
    expect(wallet.methods()).not.toContain('eth_sendTransaction')
  },
)

test('a blocked recipient is distinguished from a blocked payer', async () => {
  const wallet = willing({ eth_call: token({ blocked: 1n, only: payment.to }) })
  const problem = { code: 'address_blocked', recipient: true }
  expect(await pay(wallet).outcome).toEqual({ outcome: 'failed', problem })
  const blockedWallet = willing({ eth_call: token({ blocked: 1n, only: payer }) })
  expect(await pay(blockedWallet).outcome).toEqual({
    outcome: 'failed',
    problem: { code: 'address_blocked' },
  })
})

test.each([
  ['by its code', { code: 3, message: 'execution failed' }],
  ['by its message', { code: -32000, message: 'execution reverted: ERC20: …' }],
  ['by an inner error', { code: -32603, data: { originalError: { code: 3 } } }],
])('a transfer that would revert, reported %s, is not requested', async (_, error) => {
  const wallet = willing({ eth_call: reverts(error) })
  const problem = { code: 'tx_reverted', foreseen: true }
  expect(await pay(wallet).outcome).toEqual({ outcome: 'failed', problem })
  expect(wallet.methods()).not.toContain('eth_sendTransaction')
})

test('a wallet that cannot simulate still receives the request', async () => {
  const wallet = willing({ eth_call: reverts({ code: -32603, message: 'upstream' }) })
  expect(await pay(wallet).outcome).toEqual(sent)
})

test.each([
  ['the price', 'an account without code', { eth_getCode: '0x' }, 25_000_000n],
  ['the payable amount', 'an account with code', { eth_getCode: '0xef01' }, 25_000_100n],
  [
    'the payable amount',
    'an account whose code is unknown',
    { eth_getCode: refuse({ code: 4200 }) },
    25_000_100n,
  ],
])('%s is requested from %s', async (_, __, changes, units) => {
  const wallet = willing(changes)
  await pay(wallet).outcome
  expect(requestedUnits(wallet)).toBe(units)
})

test('reports exactly how many units are missing', async () => {
  const wallet = willing({ eth_call: token({ balance: 24_999_999n }) })
  expect(await pay(wallet).outcome).toEqual({
    outcome: 'failed',
    problem: { code: 'insufficient_token', shortUnits: 1n },
  })
})

test('a balance of exactly the amount is enough', async () => {
  const wallet = willing({ eth_call: token({ balance: 25_000_000n }) })
  expect(await pay(wallet).outcome).toMatchObject({ outcome: 'sent' })
})

test.each([
  [
    'an account with code, whose gas another may pay',
    { eth_getCode: '0xef01', eth_getBalance: '0x0' },
  ],
  ['a wallet that cannot estimate', { eth_estimateGas: refuse({ code: -32601 }) }],
  ['a wallet that cannot read contracts', { eth_call: refuse({ code: 4200 }) }],
])('%s still receives the request', async (_, changes) => {
  expect(await pay(willing(changes)).outcome).toMatchObject({ outcome: 'sent' })
})

test('a payment that the wallet sent before is a duplicate', async () => {
  const wallet = willing({ eth_sendTransaction: refuse({ code: 5720 }) })
  const duplicate = { outcome: 'duplicate', txHash: null, batchId: null }
  expect(await pay(wallet).outcome).toEqual(duplicate)
})

test('a response that is not a hash still counts as a payment', async () => {
  const wallet = willing({ eth_sendTransaction: { id: 'bundle' } })
  expect(await pay(wallet).outcome).toEqual({ ...sent, txHash: null })
})

test.each(['switching', 'checking'])(
  'the wallet receives no more requests if the payer leaves while %s',
  async (step) => {
    const wallet = willing({ eth_chainId: ['0x1', '0x14a34'], wallet_switchEthereumChain: null })
    const abandon = new AbortController()
    const outcome = await prepareOrder(wallet.provider, payment, {
      onStep: (now) => now === step && abandon.abort(),
      signal: abandon.signal,
    })
    expect(outcome).toEqual({ outcome: 'abandoned' })
    expect(wallet.methods()).not.toContain('eth_sendTransaction')
  },
)

const timeout = Object.assign(new Error('took too long'), { name: 'TimeoutError' })
const unusable = { unusable: true }
test.each<[string, unknown, object]>([
  ['network_error', new Error('The request took too long.', { cause: timeout }), unusable],
  ['wallet_disconnected', { code: 4900 }, unusable],
  ['internal_error', { code: -32603 }, unusable],
  // An earlier request is still open, and may be ours.
  ['request_pending', { code: -32002 }, {}],
])(
  'the problem is unsure if the wallet may have sent before its error: %s',
  async (code, error, more) => {
    const { outcome } = pay(willing({ eth_sendTransaction: refuse(error) }))
    expect(await outcome).toEqual({ outcome: 'refused', problem: { code, unsure: true, ...more } })
  },
)

test.each<[string, number, object]>([
  ['user_rejected', 4001, {}],
  ['wallet_unauthorized', 4100, unusable],
  ['method_unsupported', 4200, unusable],
  ['method_unsupported', -32602, unusable],
])('the error %s proves that nothing was sent', async (code, error, more) => {
  const { outcome } = pay(willing({ eth_sendTransaction: refuse({ code: error }) }))
  expect(await outcome).toEqual({ outcome: 'refused', problem: { code, ...more } })
})

describe('a wallet that already shows a connection request', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  const pending = refuse({ code: -32002 })

  test('continues once it shares an account', async () => {
    const wallet = willing({ eth_requestAccounts: pending, eth_accounts: [[], [], [payer]] })
    const { outcome, onStep } = pay(wallet)
    await vi.advanceTimersByTimeAsync(3000)
    expect(await outcome).toEqual(sent)
    expect(onStep.mock.calls.flat()).toEqual(['request_pending', 'checking'])
    expect(wallet.methods().filter((method) => method === 'eth_requestAccounts')).toHaveLength(1)
  })

  test('stops the attempt if it cannot report its accounts', async () => {
    const { outcome } = pay(willing({ eth_requestAccounts: pending }))
    await vi.advanceTimersByTimeAsync(1000)
    const problem = { code: 'request_pending' }
    expect(await outcome).toEqual({ outcome: 'failed', problem })
  })

  test('receives no more requests once the payer has left', async () => {
    const wallet = willing({ eth_requestAccounts: pending, eth_accounts: [[]] })
    const abandoned = new AbortController()
    const { outcome } = pay(wallet, abandoned.signal)
    await vi.advanceTimersByTimeAsync(1500)
    const params = wallet.calls.length
    abandoned.abort()
    await vi.advanceTimersByTimeAsync(5000)
    expect(await outcome).toEqual({ outcome: 'abandoned' })
    expect(wallet.calls).toHaveLength(params)
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('a smart wallet', () => {
  const capabilities = { '0x14a34': { atomic: { status: 'supported' } } }
  const batchId = `${payment.reference}${(25_000_100).toString(16).padStart(64, '0')}00`
  const smart = (changes = {}) =>
    willing({
      wallet_getCapabilities: capabilities,
      wallet_sendCalls: { id: batchId },
      eth_getBalance: '0x0',
      ...changes,
    })

  test('receives a batch of one call, whose id depends only on the payment', async () => {
    const wallet = smart()
    expect(await pay(wallet).outcome).toEqual({ outcome: 'sent', txHash: null, batchId })
    expect(wallet.methods()).not.toContain('eth_sendTransaction')
    const data = encodeTransfer({ ...payment, amount: payment.payable })
    const params = wallet.calls.find(({ method }) => method === 'wallet_getCapabilities')
    expect(params?.params).toEqual([payer, ['0x14a34']])
    expect(wallet.calls.at(-1)).toEqual({
      method: 'wallet_sendCalls',
      params: [
        {
          version: '2.0.0',
          id: batchId,
          from: payer,
          chainId: '0x14a34',
          atomicRequired: false,
          calls: [{ to: payment.token, data, value: '0x0' }],
        },
      ],
    })
  })

  test('receives a request for the payable amount, though its account has no code yet', async () => {
    const wallet = smart({ eth_getCode: '0x' })
    await pay(wallet).outcome
    expect(requestedUnits(wallet)).toBe(25_000_100n)
  })

  test('is detected by capabilities for every chain', async () => {
    const wallet = smart({ wallet_getCapabilities: { '0x0': { atomic: { status: 'supported' } } } })
    await pay(wallet).outcome
    expect(wallet.methods()).toContain('wallet_sendCalls')
  })

  test.each<[string, unknown]>([
    ['that needs an upgrade first', { '0x14a34': { atomic: { status: 'ready' } } }],
    ['on another chain', { '0x1': { atomic: { status: 'supported' } } }],
    ['of the first version', { '0x14a34': { atomicBatch: { supported: true } } }],
    ['that returns nothing', null],
    ['that refuses to return capabilities', refuse({ code: 4100 })],
  ])('a wallet %s receives a transaction request', async (_, wallet_getCapabilities) => {
    const wallet = willing({ wallet_getCapabilities })
    expect(await pay(wallet).outcome).toEqual(sent)
    expect(wallet.methods()).not.toContain('wallet_sendCalls')
  })

  test('that never returns its capabilities receives a transaction request', async () => {
    vi.useFakeTimers()
    const { outcome } = pay(willing({ wallet_getCapabilities: () => new Promise(() => {}) }))
    await vi.advanceTimersByTimeAsync(3000)
    expect(await outcome).toEqual(sent)
    expect(vi.getTimerCount()).toBe(0)
  })

  test.each([4200, -32601, -32602, 5700, 5710, 5740, 5760])(
    'that does not support batches after all (%d) has sent nothing',
    async (code) => {
      const wallet = smart({ wallet_sendCalls: refuse({ code }) })
      expect(await pay(wallet).outcome).toEqual({ outcome: 'unsupported' })
    },
  )

  test.each([
    [4001, 'user_rejected'],
    [5750, 'user_rejected'],
  ])('that refuses with %d receives no other request', async (code, expected) => {
    const wallet = smart({ wallet_sendCalls: refuse({ code }) })
    const problem = { code: expected }
    expect(await pay(wallet).outcome).toEqual({ outcome: 'refused', problem })
    expect(wallet.methods()).not.toContain('eth_sendTransaction')
  })

  test.each([100, 200, 600, refuse({ code: 5730 })])(
    'that sent the batch before (status %o) receives no second payment request',
    async (status) => {
      const wallet = smart({
        wallet_sendCalls: refuse({ code: 5720 }),
        wallet_getCallsStatus: typeof status === 'number' ? { status } : status,
      })
      const outcome = { outcome: 'duplicate', txHash: null, batchId }
      expect(await pay(wallet).outcome).toEqual(outcome)
    },
  )

  test.each([
    ['does not know the batch (5730)', -32603, refuse({ code: 5730 })],
    ['reports its failure', -32603, { status: 400 }],
    ['reports its failure', 4900, { status: 500 }],
  ])(
    'that fails to send a batch, and %s, after the error %d, has sent nothing',
    async (_, code, wallet_getCallsStatus) => {
      const wallet = smart({ wallet_sendCalls: refuse({ code }), wallet_getCallsStatus })
      expect(await pay(wallet).outcome).toEqual({ outcome: 'unsupported' })
    },
  )

  test.each([100, 200, 600])(
    'that returns an error though it has the batch (status %d) has sent it',
    async (status) => {
      const wallet = smart({
        wallet_sendCalls: refuse({ code: -32603 }),
        wallet_getCallsStatus: { status },
      })
      const outcome = { outcome: 'sent', txHash: null, batchId }
      expect(await pay(wallet).outcome).toEqual(outcome)
    },
  )

  test.each([
    // The wallet may still show the request.
    ['wallet_disconnected', { code: 4900 }, refuse({ code: 5730 })],
    ['internal_error', new Error('Request expired'), refuse({ code: 5730 })],
    ['internal_error', { code: -32603 }, refuse({ code: -32603 })],
    ['internal_error', { code: -32603 }, null],
  ])(
    'whose status does not explain its error (%s) may have sent: %o, %o',
    async (code, error, wallet_getCallsStatus) => {
      const wallet = smart({ wallet_sendCalls: refuse(error), wallet_getCallsStatus })
      const problem = { code, unusable: true, unsure: true }
      expect(await pay(wallet).outcome).toEqual({ outcome: 'refused', problem })
    },
  )

  test.each([400, 500])(
    'whose earlier batch has failed (status %d) receives a batch with the next id',
    async (status) => {
      const next = `${batchId.slice(0, -2)}01`
      const wallet = smart({
        wallet_sendCalls: [refuse({ code: 5720 }), { id: next }],
        wallet_getCallsStatus: { status },
      })
      expect(await pay(wallet).outcome).toMatchObject({ batchId: next })
      expect(wallet.calls.at(-1)?.params).toMatchObject([{ id: next }])
    },
  )

  test.each([0, 1, 2, 3, 4, 5, 6, 7])(
    'whose earlier batch has failed receives no further batch when the checkout is closed %d ticks later',
    async (microtasks) => {
      const closed = new AbortController()
      const close = async () => {
        for (let index = 0; index < microtasks; index += 1) await null
        closed.abort()
      }
      const wallet = smart({
        wallet_sendCalls: refuse({ code: 5720 }),
        wallet_getCallsStatus: () => {
          void close()
          return Promise.resolve({ status: 400 })
        },
      })
      const atClosing = vi.fn()
      closed.signal.addEventListener('abort', () => atClosing(wallet.calls.length))
      await pay(wallet, closed.signal).outcome
      expect(atClosing).toHaveBeenCalledExactlyOnceWith(wallet.calls.length)
    },
  )
})

test('a wallet that never responds to a read is a network error', async () => {
  vi.useFakeTimers()
  const { outcome } = pay(willing({ eth_call: () => new Promise(() => {}) }))
  await vi.advanceTimersByTimeAsync(15_000)
  expect(await outcome).toEqual({ outcome: 'failed', problem: { code: 'network_error' } })
  expect(vi.getTimerCount()).toBe(0)
})

describe('without gas', () => {
  const offer = gaslessOf(gaslessIntent(), Date.now())
  const signature = `0x${'11'.repeat(65)}`
  const delegated = `0xef0100${'99'.repeat(20)}`
  const cannotSign = { unusable: true, needsFee: true }
  const authorizationState = (call: { data: string }) => call.data.startsWith('0xe94a0102')
  const signer = (changes = {}) =>
    willing({
      eth_signTypedData_v4: signature,
      eth_getBalance: '0x0',
      eth_call: tokenWithNonces(false),
      ...changes,
    })
  const sign = (wallet: ReturnType<typeof willing>, changes: Partial<WalletPayment> = {}) =>
    pay(wallet, undefined, { gasless: offer, ...changes }).outcome

  function tokenWithNonces(isUsed: boolean) {
    const response = `0x${String(Number(isUsed)).padStart(64, '0')}`
    return ([call]: readonly unknown[]) =>
      authorizationState(call as { data: string }) ? response : token()([call])
  }

  test('an account with USDC and no ETH signs the price, and sends nothing', async () => {
    const wallet = signer()
    expect(await sign(wallet)).toEqual({ outcome: 'signed', signature })
    expect(wallet.methods()).not.toContain('eth_sendTransaction')
    expect(wallet.methods()).not.toContain('eth_estimateGas')
    const { method, params } = wallet.calls.at(-1) ?? {}
    expect([method, params?.[0]]).toEqual(['eth_signTypedData_v4', payer])
    const data = JSON.parse(String(params?.[1]))
    expect(data).toMatchObject({
      primaryType: 'TransferWithAuthorization',
      domain: offer?.domain,
      message: { from: payer, ...offer?.message, value: '25000000', nonce: payment.reference },
    })
    const fields = data.types.TransferWithAuthorization.map(({ name }: { name: string }) => name)
    expect(fields).toEqual(['from', 'to', 'value', 'validAfter', 'validBefore', 'nonce'])
    expect(Object.keys(data.message)).toEqual(fields)
  })

  test('a wallet on another chain switches before it signs', async () => {
    const wallet = signer({ eth_chainId: ['0x1', '0x14a34'], wallet_switchEthereumChain: null })
    expect(await sign(wallet)).toMatchObject({ outcome: 'signed' })
  })

  test.each<
    [string, 'eth_signTypedData_v4' | 'eth_sendTransaction', object, Partial<WalletPayment>]
  >([
    ['a contract receives', 'eth_sendTransaction', { eth_getCode: '0x6080' }, {}],
    [
      'an account whose code is unknown receives',
      'eth_sendTransaction',
      { eth_getCode: refuse({}) },
      {},
    ],
    ['an account without an offer receives', 'eth_sendTransaction', {}, { gasless: null }],
    [
      'an account whose authorization was refused receives',
      'eth_sendTransaction',
      {},
      { earlierSigner: payer.toUpperCase() },
    ],
    [
      'an account receives, if the authorization of another was refused,',
      'eth_signTypedData_v4',
      {},
      { earlierSigner: payment.to },
    ],
  ])('%s %s', async (_, method, changes, expected) => {
    const wallet = signer({ eth_getBalance: '0xde0b6b3a7640000', ...changes })
    await sign(wallet, expected)
    expect(wallet.methods().at(-1)).toBe(method)
  })

  test.each([
    ['0x', 'wallet_sendCalls'],
    ['0x6080', 'wallet_sendCalls'],
    [delegated, 'eth_signTypedData_v4'],
  ])('a smart wallet whose account has the code %s receives %s', async (code, method) => {
    const wallet = signer({
      wallet_getCapabilities: { '0x14a34': { atomic: { status: 'supported' } } },
      wallet_sendCalls: { id: '0x01' },
      eth_getCode: code,
    })
    await sign(wallet)
    expect(wallet.methods().at(-1)).toBe(method)
  })

  test.each([
    ['0x', [], 'authorization', payment.price, 0n],
    ['0x', ['authorization'], 'transaction', payment.price, expect.any(BigInt)],
    // Every method failed: use the method that failed longest ago.
    ['0x', ['authorization', 'transaction'], 'authorization', payment.price, 0n],
    [
      '0x',
      ['authorization', 'transaction', 'authorization'],
      'transaction',
      payment.price,
      expect.any(BigInt),
    ],
    // Whether an account with code pays a fee is not known.
    [delegated, [], 'authorization', payment.price, null],
    [delegated, ['authorization'], 'transaction', payment.payable, null],
    ['0x6080', [], 'transaction', payment.payable, null],
    ['0x6080', ['transaction'], 'authorization', payment.price, null],
  ] as const)(
    'an account with the code %s whose wallet failed at [%s] pays by %s',
    async (code, unusable, method, amount, fee) => {
      const { signal } = new AbortController()
      const { provider } = signer({ eth_getCode: code, eth_getBalance: '0xde0b6b3a7640000' })
      const expected = { ...payment, gasless: offer, unusable }
      const prepared = await prepareOrder(provider, expected, { onStep: () => {}, signal })
      expect(prepared).toMatchObject({ order: { amount, method, fee } })
    },
  )

  test('a payment that this account has made before is not signed again', async () => {
    const wallet = signer({ eth_call: tokenWithNonces(true) })
    const problem = { code: 'duplicate_submission' }
    expect(await sign(wallet)).toEqual({ outcome: 'failed', problem })
    expect(wallet.methods()).not.toContain('eth_signTypedData_v4')
  })

  test.each<[unknown, object]>([
    [refuse({ code: 4001 }), { code: 'user_rejected' }],
    [refuse({ code: 4200 }), { code: 'method_unsupported', ...cannotSign }],
    [refuse({ code: -32601 }), { code: 'method_unsupported', ...cannotSign }],
    [refuse({ code: -32002 }), { code: 'request_pending' }],
    [refuse({ code: 4900 }), { code: 'wallet_disconnected', ...cannotSign }],
    [refuse({ code: -32603 }), { code: 'internal_error', ...cannotSign }],
    [refuse({ code: 123456 }), { code: 'internal_error', ...cannotSign }],
    [refuse('a text'), { code: 'internal_error', ...cannotSign }],
    ['0x', { code: 'internal_error', ...cannotSign }],
    [null, { code: 'internal_error', ...cannotSign }],
  ])('any response but a signature proves that nothing is paid: %o', async (response, problem) => {
    const wallet = signer({ eth_signTypedData_v4: response })
    expect(await sign(wallet)).toEqual({ outcome: 'refused', problem })
    expect(wallet.methods()).not.toContain('eth_sendTransaction')
  })
})

test('the order of a transfer has its estimated fee', async () => {
  const { signal } = new AbortController()
  const prepared = await prepareOrder(willing().provider, payment, { onStep: () => {}, signal })
  expect(prepared).toMatchObject({ order: { fee: 0xffffn * 0x3b9aca00n } })
})

test('an account without gas receives the request if the payer says that the wallet pays the fee', async () => {
  const wallet = willing({ eth_getBalance: '0x0' })
  expect(await pay(wallet, undefined, { isSponsored: true }).outcome).toEqual(sent)
})
