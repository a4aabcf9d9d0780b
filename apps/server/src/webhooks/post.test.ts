import { expect, onTestFinished, test } from 'vitest'
import { createPoster } from './createPoster.ts'
import { createGuard } from './webhookGuard.ts'

test('an attempt that is aborted while undici loads fails, and leaves no unhandled rejection', async () => {
  const poster = createPoster(createGuard({ allowPrivate: true }))
  onTestFinished(() => poster.close())
  const stopping = new AbortController()
  const message = { url: 'http://127.0.0.1:9/', headers: {}, body: '{}', signal: stopping.signal }
  const attempt = poster.post(message)
  stopping.abort()
  expect(await attempt).toMatchObject({ type: 'failed' })
})
