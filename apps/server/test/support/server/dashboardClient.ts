import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Mode, Role } from '@payment-intents/contract'
import { invite } from '../../../src/account/peopleEndpoints.ts'
import type { Json, TestResponse, TestServer } from './testServer.ts'

/** The origin of the dashboard for browsers, by HTTPS through a proxy. */
export const dashboardUrl = 'https://desk.example'

type Sent = {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string | null>>
  readonly body?: unknown
}

/** Sends a request like the proxy, with the dashboard's host. Omits headers that are null. */
export function requestDashboard(
  { dashboardPort }: Pick<TestServer, 'dashboardPort'>,
  path: string,
  { method = 'GET', headers = {}, body }: Sent = {},
): Promise<TestResponse> {
  const content = body === undefined ? '' : JSON.stringify(body)
  const input: Record<string, string | null> = {
    host: new URL(dashboardUrl).host,
    'content-length': String(Buffer.byteLength(content)),
    ...(content ? { 'content-type': 'application/json' } : {}),
    ...headers,
  }
  return new Promise((resolve, reject) => {
    const sending = request({ host: '127.0.0.1', port: dashboardPort, path, method })
    for (const [name, value] of Object.entries(input))
      if (value !== null) sending.setHeader(name, value)
    sending.once('error', reject)
    sending.once('response', async (response) => {
      const entries = Object.entries(response.headersDistinct)
      const received = new Headers(
        entries.flatMap(([name, values = []]) =>
          values.map((value): [string, string] => [name, value]),
        ),
      )
      resolve(
        new Response(await text(response), { status: response.statusCode ?? 0, headers: received }),
      )
    })
    sending.end(content)
  })
}

/** A browser at the dashboard, with its cookie and the headers of its page. */
export type DashboardClient = {
  cookie: string
  send(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string | null>,
  ): Promise<TestResponse>
  /** Expects a 200, and returns its body. */
  read(method: string, path: string, body?: unknown): Promise<Json>
}

export function dashboardClient(
  server: Pick<TestServer, 'dashboardPort'>,
  mode: Mode = 'testnet',
): DashboardClient {
  const client: DashboardClient = {
    cookie: '',
    async send(method, path, body, headers = {}) {
      const defaultHeaders = {
        ...{ origin: dashboardUrl, 'payment-intents-mode': mode, 'sec-fetch-site': 'same-origin' },
        ...(client.cookie ? { cookie: client.cookie } : {}),
      }
      const sent = { method, body, headers: { ...defaultHeaders, ...headers } }
      const response = await requestDashboard(server, path, sent)
      const [pair] = response.headers.getSetCookie()[0]?.split(';') ?? []
      if (pair) client.cookie = pair
      return response
    },
    async read(method, path, body) {
      const response = await client.send(method, path, body)
      const content = await response.json()
      if (response.status !== 200) throw new Error(`${method} ${path}: ${JSON.stringify(content)}`)
      return content
    },
  }
  return client
}

/** Creates a person, and signs them in. */
export async function signIn(
  server: Pick<TestServer, 'db' | 'dashboardPort'>,
  merchantId: string,
  role: Role = 'owner',
  { name = role as string, mode = 'testnet' as Mode, now = Date.now } = {},
): Promise<DashboardClient & { personId: string }> {
  const invited = { merchantId, name, email: null, role }
  const { person, url } = await invite(server.db.pool, { dashboardUrl, now }, invited)
  const client = dashboardClient(server, mode)
  await client.read('POST', '/account/sign_in/link', { token: new URL(url).hash.slice(1) })
  return Object.assign(client, { personId: person.id })
}
