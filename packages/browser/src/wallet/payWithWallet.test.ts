import { expect, test, vi } from 'vitest'
import { payer, refuse, token, willing } from '../../test/scriptedProvider.ts'
import { payWithWallet } from './payWithWallet.ts'

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
  amount: 25_000_100n,
  reference: `0x${'ab'.repeat(32)}`,
}

function pay(wallet: ReturnType<typeof willing>, signal = new AbortController().signal) {
  const announce = vi.fn(async () => null)
  const onStep = vi.fn()
  const outcome = payWithWallet(wallet.provider, payment, { announce, onStep, signal })
  return { outcome, announce, onStep }
}

test('connects, switches, checks, announces and sends the exact transfer', async () => {
  const wallet = willing()
  const { outcome, announce, onStep } = pay(wallet)
  expect(await outcome).toEqual({ outcome: 'sent', txHash: `0x${'cd'.repeat(32)}` })
  expect(onStep.mock.calls.flat()).toEqual(['connecting', 'switching', 'checking', 'confirming'])
  expect(announce).toHaveBeenCalledExactlyOnceWith(payer)
  expect(wallet.calls.at(-1)).toEqual({
    method: 'eth_sendTransaction',
    params: [
      {
        from: payer,
        to: payment.token,
        data: `0xa9059cbb${'0'.repeat(24)}${'11'.repeat(20)}${(25_000_100).toString(16).padStart(64, '0')}${'ab'.repeat(32)}`,
        value: '0x0',
        chainId: '0x14a34',
      },
    ],
  })
})

test('asks the wallet before the click handler returns', () => {
  const wallet = willing()
  pay(wallet)
  expect(wallet.methods()).toEqual(['eth_requestAccounts'])
})

test('never asks for an approval or a signature of anything else', async () => {
  const wallet = willing()
  await pay(wallet).outcome
  const asking = wallet.methods().filter((method) => /sign|send|wallet_/i.test(method))
  expect(asking).toEqual(['eth_sendTransaction'])
})

test.each([
  ['eth_requestAccounts', refuse({ code: 4001 }), 'user_rejected'],
  ['eth_requestAccounts', refuse({ code: -32002 }), 'request_pending'],
  ['eth_requestAccounts', [[]], 'wallet_unauthorized'],
  ['eth_requestAccounts', 'nonsense', 'wallet_unauthorized'],
  ['eth_chainId', refuse({ code: 4900 }), 'wallet_disconnected'],
  ['eth_call', token({ paused: 1n }), 'token_paused'],
  ['eth_call', token({ blocked: 1n }), 'address_blocked'],
  ['eth_call', '0x', 'wrong_chain'],
  ['eth_call', refuse({ code: -32603, message: 'upstream timeout' }), 'network_error'],
  ['eth_getBalance', '0x1', 'insufficient_gas'],
  ['eth_estimateGas', refuse({ message: 'insufficient funds for gas' }), 'insufficient_gas'],
])('%s → %o stops before the wallet is asked to send: %s', async (method, answer, code) => {
  const wallet = willing({ [method]: answer })
  expect(await pay(wallet).outcome).toEqual({ outcome: 'failed', problem: { code } })
  expect(wallet.methods()).not.toContain('eth_sendTransaction')
})

test('says exactly how much is missing', async () => {
  const wallet = willing({ eth_call: token({ balance: 25_000_099n }) })
  expect(await pay(wallet).outcome).toEqual({
    outcome: 'failed',
    problem: { code: 'insufficient_token', shortUnits: 1n },
  })
})

test('a balance of exactly the amount is enough', async () => {
  const wallet = willing({ eth_call: token({ balance: 25_000_100n }) })
  expect(await pay(wallet).outcome).toMatchObject({ outcome: 'sent' })
})

test.each([
  [
    'an account with code, whose gas another may pay',
    { eth_getCode: '0xef01', eth_getBalance: '0x0' },
  ],
  ['a wallet that cannot estimate', { eth_estimateGas: refuse({ code: -32601 }) }],
  ['a wallet that cannot read contracts', { eth_call: refuse({ code: 4200 }) }],
])('%s is still asked to pay', async (_, changes) => {
  expect(await pay(willing(changes)).outcome).toMatchObject({ outcome: 'sent' })
})

test('a payment that the wallet had sent before is on its way', async () => {
  const wallet = willing({ eth_sendTransaction: refuse({ code: 5720 }) })
  expect(await pay(wallet).outcome).toEqual({ outcome: 'sent', txHash: null })
})

test('an answer that is no hash is still a payment', async () => {
  const wallet = willing({ eth_sendTransaction: { id: 'bundle' } })
  expect(await pay(wallet).outcome).toEqual({ outcome: 'sent', txHash: null })
})

test('a payer who cannot be announced is not asked to pay', async () => {
  const wallet = willing()
  const outcome = await payWithWallet(wallet.provider, payment, {
    announce: async () => ({ code: 'network_error' }),
    onStep: () => {},
    signal: new AbortController().signal,
  })
  expect(outcome).toEqual({ outcome: 'failed', problem: { code: 'network_error' } })
  expect(wallet.methods()).not.toContain('eth_sendTransaction')
})

test.each(['connecting', 'switching', 'checking'])(
  'abandoned while %s, the wallet is asked nothing more',
  async (step) => {
    const wallet = willing()
    const abandon = new AbortController()
    const outcome = await payWithWallet(wallet.provider, payment, {
      announce: async () => null,
      onStep: (now) => now === step && abandon.abort(),
      signal: abandon.signal,
    })
    expect(outcome).toEqual({ outcome: 'abandoned' })
    expect(wallet.methods()).not.toContain('eth_sendTransaction')
  },
)
