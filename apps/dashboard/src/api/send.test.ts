import { beforeEach, expect, test, vi } from 'vitest'
import { onProofNeeded, send } from './send.ts'

const sent: { key: string | null }[] = []
let isProved = false

beforeEach(() => {
  sent.length = 0
  isProved = false
  vi.stubGlobal('sessionStorage', { getItem: () => null })
  vi.stubGlobal('fetch', async (_url: string, { headers }: RequestInit) => {
    sent.push({ key: new Headers(headers).get('idempotency-key') })
    return isProved
      ? Response.json({ ok: true })
      : Response.json({ error: 'proof_required' }, { status: 403 })
  })
})

const create = () => send({ method: 'POST', path: '/account/api_keys', body: {} })

test('requests that need a proof at the same time share a prompt, and are sent again unchanged', async () => {
  const prove = vi.fn(async () => {
    await Promise.resolve()
    isProved = true
    return true
  })
  onProofNeeded(prove)
  expect(await Promise.all([create(), create()])).toEqual([{ ok: true }, { ok: true }])
  expect(prove).toHaveBeenCalledTimes(1)
  const keys = sent.map(({ key }) => key)
  expect(keys).toHaveLength(4)
  expect(new Set(keys).size).toBe(2)
})

test('without the proof, each request fails, and the next request prompts again', async () => {
  const prove = vi.fn(async () => false)
  onProofNeeded(prove)
  const results = await Promise.allSettled([create(), create()])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await expect(create()).rejects.toMatchObject({ code: 'proof_required' })
  expect(prove).toHaveBeenCalledTimes(2)
})
