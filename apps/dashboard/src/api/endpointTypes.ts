import type { Endpoint, endpoints, ParametersOf, ResponseOf } from '@payment-intents/contract'

type Published = (typeof endpoints)[keyof typeof endpoints]
type ForMerchants = Extract<Published, { readonly auth: 'api_key' }>

export type Method = Endpoint['method']
/** A path of the public API, as the table of endpoints writes it. */
export type PathOf<M extends Method> = Extract<ForMerchants, { readonly method: M }>['path']

type EndpointAt<M extends Method, Path> = Extract<
  ForMerchants,
  { readonly method: M; readonly path: Path }
>

type FieldsOf<E> = E extends Endpoint & ({ readonly query: unknown } | { readonly body: unknown })
  ? // A body without fields is omitted.
    ParametersOf<E> extends Record<string, never>
    ? unknown
    : ParametersOf<E>
  : unknown

/** The path's id, if any, and the fields of the query or the body. */
export type ParamsOf<M extends Method, Path> = FieldsOf<EndpointAt<M, Path>> &
  (Path extends `${string}{id}${string}` ? { readonly id: string } : unknown)

export type ResponseAt<M extends Method, Path> = ResponseOf<EndpointAt<M, Path>>
