import { txHash } from '../support/testIntents.ts'

type ScriptedReply = { result: unknown } | { rejection: { code: number; message?: string } }

/** A path through the checkout, as data that can be passed to the page. */
export type Journey = {
  name: string
  locale?: string
  /** The wallet's replies by method (`eth_call` with its selector), in order; the last is repeated. */
  wallet: Record<string, ScriptedReply[]>
  /** Selectors that the payer clicks, each as soon as it exists. */
  clicks: string[]
  /** Selector of the element that appears at the end; by default the end is the closed checkout. */
  end?: string
  /** Number of responses before the service holds requests. */
  responseCount: number
  /** Number of timers that fire, once nothing else is awaited. */
  timers: number
  /** Only the reference binds the payment: the payer is announced first. */
  announced?: boolean
  /** The payer signs, and the service submits it. */
  gasless?: boolean
}

const word = (digits: string) => `0x${digits.padStart(64, '0')}`

const account = `0x${'22'.repeat(20)}`

const willing: Journey['wallet'] = {
  eth_requestAccounts: [{ result: [account] }],
  eth_chainId: [{ result: '0x14a34' }],
  'eth_call 0x70a08231': [{ result: word('ffffffffffff') }],
  'eth_call 0x5c975abb': [{ result: word('0') }],
  'eth_call 0xfe575a87': [{ result: word('0') }],
  eth_getCode: [{ result: '0x' }],
  eth_getBalance: [{ result: '0xde0b6b3a7640000' }],
  eth_estimateGas: [{ result: '0xffff' }],
  eth_gasPrice: [{ result: '0xffff' }],
  eth_sendTransaction: [{ result: txHash }],
  eth_getTransactionCount: [{ result: '0x7' }],
  eth_getTransactionByHash: [{ result: { hash: txHash, nonce: '0x7', from: account } }],
  eth_getTransactionReceipt: [{ result: null }],
}

const smart: Journey['wallet'] = {
  ...willing,
  wallet_getCapabilities: [{ result: { '0x14a34': { atomic: { status: 'supported' } } } }],
  wallet_sendCalls: [{ result: { id: '0x01' } }],
  wallet_getCallsStatus: [{ result: { status: 100 } }],
}

const pays = { clicks: ['[part=wallet]'], end: '[data-screen=sent]', responseCount: 1, timers: 0 }

export const journeys: Journey[] = [
  { ...pays, name: 'a plain wallet', wallet: willing, timers: 3 },
  { ...pays, name: 'a payer who is announced', wallet: willing, announced: true },
  {
    ...pays,
    name: 'a payer without gas',
    wallet: {
      ...willing,
      'eth_call 0xe94a0102': [{ result: word('0') }],
      eth_signTypedData_v4: [{ result: `0x${'cd'.repeat(65)}` }],
      eth_getBalance: [{ result: '0x0' }],
    },
    gasless: true,
    end: '[data-detail=relayed]',
  },
  {
    ...pays,
    name: 'a wallet that adds the chain without switching to it',
    wallet: {
      ...willing,
      eth_chainId: [{ result: '0x1' }, { result: '0x1' }, { result: '0x14a34' }],
      wallet_switchEthereumChain: [{ rejection: { code: 4902 } }, { result: null }],
      wallet_addEthereumChain: [{ result: null }],
    },
  },
  {
    ...pays,
    name: 'a wallet that switches',
    wallet: {
      ...willing,
      eth_chainId: [{ result: '0x1' }, { result: '0x14a34' }],
      wallet_switchEthereumChain: [{ result: null }],
    },
  },
  { ...pays, name: 'a smart wallet', wallet: smart, timers: 2 },
  {
    ...pays,
    name: 'a smart wallet that refuses a batch',
    wallet: { ...smart, wallet_sendCalls: [{ rejection: { code: 4200 } }] },
  },
  {
    ...pays,
    name: 'a smart wallet whose first batch has failed',
    wallet: {
      ...smart,
      wallet_sendCalls: [{ rejection: { code: 5720 } }, { result: { id: '0x02' } }],
      wallet_getCallsStatus: [{ result: { status: 400 } }, { result: { status: 100 } }],
    },
  },
  {
    ...pays,
    name: 'a payer who declines',
    wallet: { ...willing, eth_sendTransaction: [{ rejection: { code: 4001 } }] },
    end: '[data-screen=problem]',
  },
  {
    ...pays,
    name: 'a payer who copies the amount',
    wallet: willing,
    clicks: ['#method-qr', '.fields button'],
    end: '.fields button.copied',
    timers: 1,
  },
  {
    ...pays,
    name: 'another language, and a payment that is confirmed meanwhile',
    locale: 'de',
    wallet: willing,
    clicks: [],
    end: '[data-screen=paid]',
    responseCount: 3,
  },
  {
    name: 'a payer who leaves',
    wallet: willing,
    clicks: ['[part=wallet]', '[part=close]', '.status button:last-of-type'],
    responseCount: 1,
    timers: 0,
  },
]
