import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { stubBrowser } from '../../test/walks/stubBrowser.ts'
import {
  forgetRequests,
  onRequestsChange,
  readRequests,
  storeRequest,
  type WalletRequest,
} from './walletRequests.ts'

const day = 86_400_000
const request: WalletRequest = {
  id: '1',
  amount: 9_007_199_254_740_993n,
  requestedAt: 100 * day,
  result: 'sent',
  txHash: `0x${'cd'.repeat(32)}`,
  batchId: '0x01',
  authorization: { from: `0x${'22'.repeat(20)}`, validBefore: 2_000_000_000 },
}

beforeEach(() => stubBrowser())

test('stored requests are read unchanged and in order', () => {
  const second = { ...request, id: '2' }
  storeRequest('pi_a', request)
  storeRequest('pi_a', second)
  expect(readRequests('pi_a')).toEqual([request, second])
  expect(readRequests('pi_b')).toEqual([])
  storeRequest('pi_a', { ...second, result: 'none' })
  expect(readRequests('pi_a')).toEqual([request, { ...second, result: 'none' }])
})

test('removing the last request of an intent leaves nothing in storage', () => {
  storeRequest('pi_a', request)
  storeRequest('pi_a', { ...request, id: '2' })
  forgetRequests('pi_a', ['1', 'unknown'])
  expect(readRequests('pi_a').map(({ id }) => id)).toEqual(['2'])
  forgetRequests('pi_a', ['2'])
  expect(Object.keys(localStorage)).toEqual([])
})

test('storing a request removes those that are thirty days old, and nothing else', () => {
  localStorage.setItem('of the shop', 'its own')
  storeRequest('pi_old', { ...request, requestedAt: 70 * day - 1 })
  storeRequest('pi_young', { ...request, requestedAt: 70 * day })
  storeRequest('pi_a', request)
  const remaining = ['of the shop', 'payment-intents:pi_a', 'payment-intents:pi_young']
  expect(Object.keys(localStorage).sort()).toEqual(remaining)
})

test('properties that the page adds to prototypes do not change stored requests', () => {
  const onTypes = [Array.prototype, Object.prototype, String.prototype] as { toJSON?: unknown }[]
  for (const prototype of onTypes) prototype.toJSON = () => 'of the page'
  onTestFinished(() => {
    for (const prototype of onTypes) delete prototype.toJSON
  })
  storeRequest('pi_a', request)
  expect(localStorage.getItem('payment-intents:pi_a')).toMatch(/^\[\{"id":"1","amount":"9007/)
  expect(readRequests('pi_a')).toEqual([request])
})

const full = {
  getItem: () => null,
  setItem: () => {
    throw new DOMException('full', 'QuotaExceededError')
  },
}

test.each([
  ['is full', full],
  ['is denied', undefined],
])(
  'requests are stored in memory if storage %s, with a warning in the console',
  (name, storage) => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue()
    onTestFinished(() => warn.mockRestore())
    vi.stubGlobal('localStorage', storage)
    storeRequest(name, request)
    expect(warn).toHaveBeenCalledExactlyOnceWith(expect.any(String), expect.any(Error))
    expect(readRequests(name)).toEqual([request])
    forgetRequests(name, [request.id])
    expect(readRequests(name)).toEqual([])
  },
)

test('changes in this window are reported until the signal aborts', () => {
  const onChange = vi.fn()
  const ending = new AbortController()
  onRequestsChange(ending.signal, onChange)
  storeRequest('pi_a', request)
  expect(onChange).toHaveBeenCalledExactlyOnceWith('pi_a')
  ending.abort()
  forgetRequests('pi_a', [request.id])
  expect(onChange).toHaveBeenCalledOnce()
})
