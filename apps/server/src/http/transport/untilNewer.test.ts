import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import type { HttpContext } from './httpContext.ts'
import { createLongPoll } from './longPoll.ts'

/** An intent whose versions the test announces, and a function that waits for them. */
function waiting() {
  let version = 1
  let announce = (_intentId: string) => {}
  const context = {
    database: { isAway: () => false },
    stopping: new AbortController().signal,
  } as unknown as HttpContext
  const hold = createLongPoll(context, {
    subscribe: (listener) => {
      announce = listener
    },
    find: async () => ({ intent: { version } }),
    isNewer: ({ intent }, after: number) => intent.version > after,
  })
  return {
    longPoll: (params: Parameters<typeof hold>[0], response: ServerResponse) =>
      new Promise((resolve) => hold(params, response, resolve)),
    change() {
      version += 1
      announce('pi_1')
    },
  }
}

test('repeated waits of a request leave no listener on its response', async () => {
  const { longPoll, change } = waiting()
  const response = new EventEmitter() as ServerResponse
  for (let after = 1; after <= 20; after += 1) {
    const newer = longPoll({ id: 'pi_1', after, seconds: 25 }, response)
    expect(response.listenerCount('close')).toBe(1)
    change()
    expect(await newer).toEqual({ intent: { version: after + 1 } })
  }
  expect(response.listenerCount('close')).toBe(0)
})

test('each request for an intent gets a response of its own', async () => {
  const { longPoll, change } = waiting()
  const [deleted, otherResponse] = [new EventEmitter(), new EventEmitter()] as ServerResponse[]
  const responses = [deleted, otherResponse].map((response) =>
    longPoll({ id: 'pi_1', after: 1, seconds: 25 }, response as ServerResponse),
  )
  deleted?.emit('close')
  expect(await responses[0]).toEqual({ intent: { version: 1 } })
  change()
  expect(await responses[1]).toEqual({ intent: { version: 2 } })
})

test('a request whose client has disconnected before it waits is not held', async () => {
  const { longPoll } = waiting()
  const deleted = Object.assign(new EventEmitter(), { destroyed: true }) as ServerResponse
  expect(await longPoll({ id: 'pi_1', after: 1, seconds: 25 }, deleted)).toEqual({
    intent: { version: 1 },
  })
})
