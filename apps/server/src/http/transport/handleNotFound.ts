import { anyOrigin, noRoute } from '@payment-intents/core'
import type { FastifyInstance } from 'fastify'
import { allowAnyOrigin } from './cors.ts'

type Route = {
  readonly methods: readonly string[]
  readonly pattern: RegExp
  readonly isForAnyOrigin: boolean
}

/** Returns 404, or 405 where another method would do. Call it before routes are added. */
export function handleNotFound(app: FastifyInstance): void {
  const routes: Route[] = []
  app.addHook('onRoute', ({ method, url, onRequest }) => {
    // A catch-all says nothing about one path.
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
    // Pages have to be able to read the error, too.
    if ([...paths, ...withoutSlash].some((route) => route.isForAnyOrigin)) reply.headers(anyOrigin)
    const allowedMethods = paths.flatMap(({ methods }) => methods)
    throw noRoute(request, allowedMethods, withoutSlash.length > 0 ? 'without_slash' : null)
  })
}
