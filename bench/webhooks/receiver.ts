/** Receives webhooks in a process of its own, so that its work is not counted, and reports when each began to arrive. */
import { createServer } from 'node:http'
import { serveParent } from '../child.ts'

/** The id of an event, and when it arrived in Unix milliseconds with fractions. */
export type Arrival = [eventId: string, at: number]

let arrivals: Arrival[] = []

const server = createServer((request, response) => {
  request.resume()
  if (request.url === '/hang') return
  const at = performance.timeOrigin + performance.now()
  arrivals.push([String(request.headers['webhook-id']), at])
  response.writeHead(204).end()
})
serveParent(server)
// Any message requests the arrivals so far; the parent knows how many to expect.
process.on('message', () => {
  process.send?.(arrivals)
  arrivals = []
})
