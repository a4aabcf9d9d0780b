import { type Event, eventSchema } from '@payment-intents/contract'
import type { ReadOptions } from './options.ts'
import { issuesOf, pathId } from './parameters.ts'
import type { Send } from './send.ts'

export async function retrieveEvent(send: Send, id: string, options?: ReadOptions): Promise<Event> {
  const answer = await send(
    {
      method: 'GET',
      path: `/v1/events/${pathId(id)}`,
      issuesOf: (body) => issuesOf(eventSchema.safeParse(body)),
    },
    options,
  )
  return answer as Event
}
