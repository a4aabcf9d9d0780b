import type { Client } from '@payment-intents/node'
import { jsonLine } from '../output/asJson.ts'
import { asText } from '../output/asText.ts'
import { plain } from '../output/plain.ts'
import type { EventsCommand } from './readEvents.ts'

/** Lists events, or resends an event. @returns the output, line by line */
export async function* runEvents(
  client: Client,
  command: EventsCommand,
  colors: boolean,
): AsyncGenerator<string> {
  if (command.action === 'resend') {
    const { event, endpoint } = command
    const params = endpoint === undefined ? {} : { webhook_endpoint: endpoint }
    const { deliveries } = await client.events.redeliver(event, params)
    yield plain(sentence(event, deliveries))
    return
  }
  const { count, type, paymentIntent, json } = command
  let remaining = count
  const events = client.events.list({
    ...{ order: 'desc', limit: Math.min(count, 100) },
    ...(type === undefined ? {} : { type }),
    ...(paymentIntent === undefined ? {} : { payment_intent: paymentIntent }),
  })
  for await (const event of events) {
    yield json ? jsonLine(event) : asText({ kind: 'event', event }, { colors, keys: false })
    remaining -= 1
    if (remaining === 0) return
  }
}

function sentence(event: string, deliveries: number): string {
  if (deliveries === 0) return `${event} goes to no endpoint: no enabled endpoint takes its type.`
  return `${event} is queued for ${deliveries} ${deliveries === 1 ? 'endpoint' : 'endpoints'}.`
}
