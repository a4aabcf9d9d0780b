import { expect, test, vi } from 'vitest'
import { followEvents } from './useLiveEvents.ts'

test('events are read in the mode of the last event, also while the tab switches to the other', async () => {
  let shown = 'testnet'
  vi.stubGlobal('sessionStorage', { getItem: () => shown })
  const ending = new AbortController()
  const requests: string[] = []
  vi.stubGlobal('fetch', async (url: string, { headers }: RequestInit) => {
    requests.push(`${new Headers(headers).get('payment-intents-mode')} ${url}`)
    // The tab switches while the first response is on its way.
    shown = 'mainnet'
    if (requests.length === 2) ending.abort()
    return Response.json({ data: [{ id: 'evt_1', type: 'payment_intent.created' }] })
  })
  await followEvents('testnet', ending.signal)
  expect(requests).toEqual([
    'testnet /v1/events?order=desc&limit=1',
    'testnet /v1/events?starting_after=evt_1&wait=25&limit=100',
  ])
})
