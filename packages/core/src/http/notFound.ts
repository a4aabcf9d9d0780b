import { HttpError } from './httpError.ts'

/** In the order of the header `Allow`. */
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/**
 * The error for a request without a route: 405 if routes of its path have other methods, else 404.
 * @param allowed the methods of the path's routes
 * @param hint see {@link unknownRoute}
 */
export function noRoute(
  { method, url }: { readonly method: string; readonly url: string },
  allowed: readonly string[],
  hint: 'without_slash' | null,
): HttpError {
  if (allowed.length === 0) return unknownRoute(method, url, hint)
  const allow = methods.filter((candidate) => allowed.includes(candidate)).join(', ')
  const message = `${pathOf(url)} does not take ${method}.`
  return new HttpError('method_not_allowed', message, {}, { allow })
}

/**
 * The error for a path without a route.
 * @param hint `without_slash`: the path without its last slash has a route. It is not served there: with an empty id,
 * `/v1/payment_intents/` would be a list
 */
export function unknownRoute(method: string, url: string, hint: 'without_slash' | null): HttpError {
  const message = `There is nothing at ${method} ${pathOf(url)}.`
  return new HttpError('not_found', hint === null ? message : `${message} ${withoutSlash}`)
}

const withoutSlash =
  'Remove the slash at the end of the path, or pass the id that is missing there.'

function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? ''
}
