import { expect } from 'vitest'
import {
  createTestKey,
  createTestMerchant,
  type Json,
  type TestResponse,
  type TestServer,
} from './testServer.ts'

export type MerchantApi = {
  /** Sends a text body unchanged, and any other body as JSON. */
  send(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<TestResponse>
  get(path: string, query?: Record<string, string>): Promise<TestResponse>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<TestResponse>
  /** Expects a 200, and returns its JSON. */
  read(path: string, query?: Record<string, string>): Promise<Json>
}

/** A merchant's backend, which sends requests like `curl`. */
export function merchantApi(server: Pick<TestServer, 'request'>, apiKey: string): MerchantApi {
  const authorization = `Bearer ${apiKey}`
  const send: MerchantApi['send'] = (method, path, body, headers = {}) => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    return server.request(path, {
      method,
      headers: { authorization, ...type, ...headers },
      body: body === undefined || typeof body === 'string' ? (body ?? null) : JSON.stringify(body),
    })
  }
  const get: MerchantApi['get'] = (path, query = {}) => {
    const search = new URLSearchParams(query).toString()
    return send('GET', search ? `${path}?${search}` : path)
  }
  return {
    send,
    get,
    post: (path, body, headers) => send('POST', path, body, headers),
    async read(path, query) {
      const response = await get(path, query)
      const content = await response.json()
      expect(response.status, JSON.stringify(content)).toBe(200)
      return content
    },
  }
}

/** Creates a merchant with a backend in each mode. */
export async function openShop(server: TestServer) {
  const { id: merchantId, apiKey } = await createTestMerchant(server.db)
  const live = merchantApi(server, await createTestKey(server.db, merchantId, 'mainnet'))
  return { api: merchantApi(server, apiKey), live, apiKey, merchantId }
}

export function idsOf(items: readonly Json[]): string[] {
  return items.map(({ id }) => id)
}

/** Reads every page of a list, each after the last id of the previous page. */
export async function readPages(
  api: MerchantApi,
  path: string,
  query: Record<string, string>,
): Promise<Json[][]> {
  const pages: Json[][] = []
  for (let cursor: Record<string, string> = {}; ; ) {
    const { data, has_more } = await api.read(path, { ...query, ...cursor })
    pages.push(data)
    if (!has_more) return pages
    expect(data.at(-1)?.id, 'a page that leads further').not.toBe(cursor.starting_after)
    cursor = { starting_after: data.at(-1).id }
  }
}

export async function expectError(
  response: TestResponse,
  status: number,
  error: string,
): Promise<Json> {
  const body = await response.json()
  expect({ status: response.status, error: body.error }, JSON.stringify(body)).toEqual({
    status,
    error,
  })
  expect(body.message).toMatch(/\w/)
  expect(body.request_id).toBe(response.headers.get('x-request-id'))
  return body
}

/** Expects a 400 about this path of the body or query. */
export async function expectIssue(response: TestResponse, path: string): Promise<void> {
  const { issues } = await expectError(response, 400, 'invalid_body')
  expect(issues[0].path).toBe(path)
}

/** Expects a 409 with this reason. */
export async function expectConflict(response: TestResponse, reason: string): Promise<void> {
  const body = await expectError(response, 409, 'conflict')
  expect(body.reason).toBe(reason)
}
