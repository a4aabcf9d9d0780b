import { HttpError } from '@payment-intents/rules'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { allowAnyOrigin, anyOrigin } from './cors.ts'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

type Route = {
  readonly methods: readonly string[]
  readonly pattern: RegExp
  readonly isForAnyOrigin: boolean
}

/** Answers 404, or 405 where another method would do. Call it before routes are added. */
export function handleNotFound(app: FastifyInstance): void {
  const routes: Route[] = []
  app.addHook('onRoute', ({ method, url, onRequest }) => {
    const escaped = url.replaceAll('.', '\\.').replaceAll('*', '.*')
    routes.push({
      methods: [method].flat(),
      pattern: new RegExp(`^${escaped.replaceAll(/:\w+/g, '[^/]+')}$`),
      isForAnyOrigin: [onRequest].flat().includes(allowAnyOrigin),
    })
  })
  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request)
    const at = (url: string) => routes.filter(({ pattern }) => pattern.test(url))
    const here = at(path)
    const withoutSlash = path.endsWith('/') ? at(path.slice(0, -1)) : []
    // A page has to be able to read this, too.
    if ([...here, ...withoutSlash].some((route) => route.isForAnyOrigin)) reply.headers(anyOrigin)
    const allowed = methods.filter((method) => here.some((route) => route.methods.includes(method)))
    if (allowed.length === 0) throw nothingAt(request, withoutSlash.length > 0 ? 'or_less' : null)
    const message = `${path} does not take ${request.method}.`
    throw new HttpError('method_not_allowed', message, {}, { allow: allowed.join(', ') })
  })
}

/**
 * The error for a path of no route.
 *
 * @param hint `or_less`: without its last slash it is one. It is not served as that: with an empty id,
 *   `/v1/payment_intents/` would be a list
 */
export function nothingAt(request: FastifyRequest, hint: 'or_less' | null): HttpError {
  const nothing = `There is nothing at ${request.method} ${pathOf(request)}.`
  return new HttpError('not_found', hint === null ? nothing : `${nothing} ${orLess}`)
}

const orLess = 'An id in it is empty, or it has a slash too many at its end.'

function pathOf({ url }: FastifyRequest): string {
  return url.split('?', 1)[0] ?? ''
}
