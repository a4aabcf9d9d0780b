import { anyOrigin, noRoute } from '@payment-intents/core'
import type { FastifyInstance } from 'fastify'
import { allowAnyOrigin } from './cors.ts'

type Route = {
  readonly methods: readonly string[]
  readonly pattern: RegExp
  readonly isForAnyOrigin: boolean
}

/** Responds 404, or 405 if the path has other methods. Call it before routes are added, since it records them. */
export function handleNotFound(app: FastifyInstance): void {
  const routes: Route[] = []
  app.addHook('onRoute', ({ method, url, onRequest }) => {
    // A catch-all matches every path, so it would turn each 404 into a 405.
    if (url === '/*') return
    const escaped = url.replaceAll('.', '\\.').replaceAll('*', '.*')
    routes.push({
      methods: [method].flat(),
      pattern: new RegExp(`^${escaped.replaceAll(/:\w+/g, '[^/]+')}$`),
      isForAnyOrigin: [onRequest].flat().includes(allowAnyOrigin),
    })
  })
  app.setNotFoundHandler((request, reply) => {
    const [path = ''] = request.url.split('?', 1)
    const at = (path: string) => routes.filter(({ pattern }) => pattern.test(path))
    const paths = at(path)
    const withoutSlash = path.endsWith('/') ? at(path.slice(0, -1)) : []
    // A page that may read the response must be able to read the error.
    if ([...paths, ...withoutSlash].some((route) => route.isForAnyOrigin)) reply.headers(anyOrigin)
    const allowedMethods = paths.flatMap(({ methods }) => methods)
    throw noRoute(request, allowedMethods, withoutSlash.length > 0 ? 'without_slash' : null)
  })
}
