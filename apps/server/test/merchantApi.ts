import { expect } from 'vitest'
import { type Json, post, type TestResponse, type TestServer } from './testServer.ts'

export type MerchantApi = {
  get(path: string, query?: Record<string, string>): Promise<TestResponse>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<TestResponse>
  /** The JSON of a 200. */
  read(path: string, query?: Record<string, string>): Promise<Json>
}

/** A merchant's backend, as `curl` would be it. */
export function merchantApi(server: TestServer, apiKey: string): MerchantApi {
  const authorization = `Bearer ${apiKey}`
  const get: MerchantApi['get'] = (path, query = {}) => {
    const search = new URLSearchParams(query).toString()
    return server.request(search ? `${path}?${search}` : path, { headers: { authorization } })
  }
  return {
    get,
    post: (path, body, headers = {}) =>
      body === undefined
        ? server.request(path, { method: 'POST', headers: { authorization, ...headers } })
        : post(server, path, body, { authorization, ...headers }),
    async read(path, query) {
      const response = await get(path, query)
      const answer = await response.json()
      expect(response.status, JSON.stringify(answer)).toBe(200)
      return answer
    },
  }
}

/** Every page of a list, each asked for with the last id of the one before. */
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
