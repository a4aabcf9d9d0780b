import type { Method, ParamsOf, PathOf, ResponseAt } from './endpointTypes.ts'
import { send } from './send.ts'

/** Calls an endpoint of the public API by its path in the table of endpoints: `read('/v1/refunds/{id}', { id })`. */
export function read<Path extends PathOf<'GET'>>(
  path: Path,
  params?: ParamsOf<'GET', Path>,
  signal?: AbortSignal,
): Promise<ResponseAt<'GET', Path>> {
  const { id, ...query } = (params ?? {}) as Record<string, unknown>
  return send({
    ...{ method: 'GET', path: pathTo(path, id), query: queryOf(query) },
    ...(signal ? { signal } : {}),
  })
}

export function create<Path extends PathOf<'POST'>>(path: Path, params: ParamsOf<'POST', Path>) {
  return change('POST', path, params)
}

export function update<Path extends PathOf<'PATCH'>>(path: Path, params: ParamsOf<'PATCH', Path>) {
  return change('PATCH', path, params)
}

export function remove<Path extends PathOf<'DELETE'>>(
  path: Path,
  params: ParamsOf<'DELETE', Path>,
) {
  return change('DELETE', path, params)
}

function change<M extends Method, Path extends string>(
  method: M,
  path: Path,
  params: unknown,
): Promise<ResponseAt<M, Path>> {
  const { id, ...body } = params as Record<string, unknown>
  const sendsBody = method !== 'DELETE'
  return send({ method, path: pathTo(path, id), ...(sendsBody ? { body } : {}) })
}

function pathTo(path: string, id: unknown): string {
  return path.replace('{id}', encodeURIComponent(String(id)))
}

/** `{ metadata: { order_id: '1' } }` becomes `metadata[order_id]=1`; undefined and empty values are omitted. */
export function queryOf(params: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(params)) {
    if (value === undefined || value === '') continue
    if (typeof value === 'object' && value !== null) {
      for (const [key, text] of Object.entries(value)) query.set(`${name}[${key}]`, String(text))
    } else query.set(name, String(value))
  }
  return query.size === 0 ? '' : `?${query}`
}
