import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listenLocally } from '../../../support/listenLocally.ts'
import { type Behaviour, drawBehaviour, type Mood } from './drawRounds.ts'

/** A request that arrived as a whole. */
export type Arrival = {
  readonly endpoint: string
  readonly headers: Record<string, string>
  readonly body: string
  /** Whether the response was a success. */
  readonly taken: boolean
  /** Unix milliseconds. */
  readonly at: number
}

export type Receivers = {
  urlOf(endpoint: string): string
  readonly arrivals: readonly Arrival[]
  /** From the next request on; hanging requests are closed. */
  setMood(endpoint: string, mood: Mood | 'gone'): void
  close(): Promise<void>
}

/** Milliseconds that a slow receiver takes to respond. */
const slowResponseMs = 200

/** All endpoints of a run, in one HTTP server. */
export async function startReceivers(seed: number): Promise<Receivers> {
  const arrivals: Arrival[] = []
  const moods = new Map<string, Mood | 'gone'>()
  const counts = new Map<string, number>()
  const hanging = new Map<ServerResponse, string>()

  const server = createServer((request, response) => {
    const endpoint = (request.url ?? '').slice(1)
    const mood = moods.get(endpoint) ?? 'well'
    const count = counts.get(endpoint) ?? 0
    counts.set(endpoint, count + 1)
    const behaviour = mood === 'gone' ? 'gone' : drawBehaviour(seed, endpoint, count, mood)
    if (behaviour === 'hangs_up') return void request.socket.destroy()
    receive(request, (body) => {
      const taken = ['takes', 'slow', 'drips'].includes(behaviour)
      const headers = request.headers as Record<string, string>
      arrivals.push({ endpoint, headers, body, taken, at: Date.now() })
      if (behaviour === 'hangs') hanging.set(response, endpoint)
      else respond(response, behaviour)
    })
  })
  const { url, close } = await listenLocally(server)
  return {
    urlOf: (endpoint) => `${url}/${endpoint}`,
    arrivals,
    setMood(endpoint, mood) {
      moods.set(endpoint, mood)
      for (const [response, whose] of hanging) if (whose === endpoint) response.destroy()
    },
    close,
  }
}

function receive(request: IncomingMessage, done: (body: string) => void): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => done(Buffer.concat(chunks).toString()))
}

function respond(response: ServerResponse, behaviour: Behaviour | 'gone'): void {
  switch (behaviour) {
    case 'slow':
      setTimeout(() => response.writeHead(200).end(), slowResponseMs)
      return
    case 'drips': {
      const drip = setInterval(() => response.write('.'), 20)
      response.writeHead(200).on('close', () => clearInterval(drip))
      return
    }
    case 'fails':
      response.writeHead(500).end('{}')
      return
    case 'redirects':
      response.writeHead(307, { location: '/elsewhere' }).end()
      return
    case 'rate_limits': {
      const later = new Date(Date.now() + 3_600_000).toUTCString()
      response.writeHead(503, { 'retry-after': later }).end()
      return
    }
    case 'breaks_off':
      response.socket?.end('HTTP/1.1 200 O')
      return
    case 'gone':
      response.writeHead(410).end()
      return
    default:
      response.writeHead(204).end()
  }
}
