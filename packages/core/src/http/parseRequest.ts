import {
  type Endpoint,
  endpoints,
  limits,
  type Operation,
  type RequestOf,
} from '@payment-intents/contract'
import type { ServiceRequest } from '../service.ts'
import { notFoundError } from './httpError.ts'
import { type JsonBody, parseJson } from './json.ts'
import { unknownRoute } from './notFound.ts'
import { parseQuery } from './query.ts'
import { parse } from './readRequest.ts'

/** A request to an endpoint, as received over HTTP. */
export type RawRequest = {
  readonly method: string
  /** Path and query. */
  readonly url: string
  /** `{id}` of the path; empty where the endpoint has none. */
  readonly id: string
  readonly bytes: Uint8Array
}

type Parsed<Name extends Operation> = RequestOf<Name> &
  Pick<ServiceRequest<Name>, 'source' | 'metadataFilter'>

/**
 * Parses a merchant's request by the table of endpoints.
 * @throws {HttpError} `invalid_body`; `not_found` for an id that no object can have
 */
export function parseRequest<Name extends Operation>(name: Name, raw: RawRequest): Parsed<Name> {
  const { object, query, body, isBodyOptional }: Endpoint = endpoints[name]
  const source = body ? readBody(raw.bytes, isBodyOptional) : noBody
  const { query: parsedQuery, metadataFilter } = query ? parseQuery(query, raw.url) : noQuery
  return {
    query: parsedQuery,
    body: body && parse(body, source.value),
    id: object ? pathId(raw, object) : '',
    ...{ source, metadataFilter },
  } as Parsed<Name>
}

/**
 * A body as JSON.
 *
 * @param isOptional an empty body is `{}`
 * @throws {HttpError} `invalid_body`
 */
export function readBody(bytes: Uint8Array, isOptional = false): JsonBody {
  return bytes.length === 0 && isOptional ? noBody : parseJson(bytes)
}

/**
 * The id in a path.
 * @throws {HttpError} `not_found` for an id that no object can have; PostgreSQL would refuse some
 */
export function pathId(
  { id, method, url }: Omit<RawRequest, 'bytes'>,
  noun: Parameters<typeof notFoundError>[0],
): string {
  if (id === '') throw unknownRoute(method, url, 'without_slash')
  if (id.length > limits.idLength || !/^\w+$/.test(id)) throw notFoundError(noun)
  return id
}

const noBody: JsonBody = { value: {}, textOf: () => undefined }
const noQuery = { query: undefined, metadataFilter: [] }
