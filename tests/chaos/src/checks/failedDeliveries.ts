import { Webhook } from 'standardwebhooks'
import type { ArrivalRecord, EndpointRecord, TrialRecord } from '../trialRecord.ts'
import type { Violation } from '../violation.ts'

/** How far a signature's time may be from the receiver's clock. */
const toleranceMs = 5 * 60 * 1_000

/** I6: each endpoint got every event that it is for, signed, as the list has it; and nothing else arrived. */
export function failedDeliveries({ merchants, arrivals }: TrialRecord): Violation[] {
  const violations: Violation[] = []
  const complain = (about: string) => violations.push({ invariant: 'I6', about })
  const byEndpoint = Map.groupBy(arrivals, ({ endpoint }) => endpoint)
  for (const { endpoints, events } of merchants) {
    const listed = new Map(events.map((event) => [event.id, event]))
    for (const endpoint of endpoints) {
      const taken = new Set<string>()
      for (const arrival of byEndpoint.get(endpoint.path) ?? []) {
        const id = arrival.headers['webhook-id'] ?? ''
        if (arrival.taken) taken.add(id)
        if (!isSigned(endpoint, arrival)) complain(`${id} arrived at ${endpoint.path} unsigned`)
        const event = listed.get(id)
        if (!event || !isFor(endpoint, event.type)) complain(`${id} is not for ${endpoint.path}`)
        else if (JSON.stringify(event) !== JSON.stringify(JSON.parse(arrival.body))) {
          complain(`${id} arrived at ${endpoint.path} unlike it is listed`)
        }
      }
      const missed = events.filter(({ id, type }) => isFor(endpoint, type) && !taken.has(id))
      for (const { id, type } of missed) complain(`${endpoint.path} never got ${type} ${id}`)
      byEndpoint.delete(endpoint.path)
    }
  }
  for (const path of byEndpoint.keys())
    complain(`something arrived at ${path}, which is no endpoint`)
  return violations
}

/** `verify` compares the signed time with the present; here the time of the arrival counts. */
function isSigned({ secret }: EndpointRecord, { headers, body, at }: ArrivalRecord): boolean {
  const signed = new Date(Number(headers['webhook-timestamp']) * 1_000)
  if (!(Math.abs(signed.getTime() - at) <= toleranceMs)) return false
  const expected = new Webhook(secret).sign(headers['webhook-id'] ?? '', signed, body)
  return headers['webhook-signature']?.split(' ').includes(expected) ?? false
}

function isFor({ types }: EndpointRecord, type: string): boolean {
  return types === null || types.includes(type)
}
