import { type Endpoint, endpoints } from '@payment-intents/contract'
import { expect, test } from 'vitest'
import { serverOfFile } from '../../../test/support/database/fixtures.ts'

const server = serverOfFile()

/** Routes outside the table of endpoints: pages with their assets, probes, x402, and sessions of the hosted page. */
const others = [
  ...['GET /livez', 'GET /readyz', 'GET /metrics', 'GET /openapi.json'],
  ...['GET /docs', 'GET /docs/', 'GET /docs/api'],
  ...['GET /v1/browser.js', 'GET /v1/checkout.js', 'GET /v1/receipt.js', 'GET /v1/refund.js'],
  ...['GET /v1/locales/:language.json', 'GET /v1/logos/:hash', 'GET /receipt', 'GET /refund/'],
  'GET /v1/pictures/:hash',
  ...['GET /checkout', 'GET /checkout*', 'GET /checkout/:id'],
  ...['POST /checkout/session', 'POST /checkout/:id/session'],
  ...['GET /l/:id', 'POST /l/:id', 'GET /v1/link_page.js', 'GET /v1/link.js'],
  ...['GET /x402/:token', 'POST /x402/:token'],
]

test('every route is in the table of endpoints or on the list of others', () => {
  const published = Object.values<Endpoint>(endpoints).map(({ method, path }) => {
    return `${method} ${path.replace('{id}', ':id')}`
  })
  expect(routesIn(server.routes()).sort()).toEqual([...published, ...others].sort())
})

/** The routes in Fastify's tree. `HEAD` and `OPTIONS` follow from other methods. */
function routesIn(tree: string): string[] {
  const parents: string[] = []
  return tree.split('\n').flatMap((line) => {
    const [, indent = '', part = '', methods = ''] =
      /^([│ ]*)[├└]── (\S+)(?: \((.+)\))?$/.exec(line) ?? []
    if (!part) return []
    const depth = indent.length / 4
    parents.splice(depth, parents.length, part)
    return methods
      .split(', ')
      .filter((method) => !['', 'HEAD', 'OPTIONS'].includes(method))
      .map((method) => `${method} ${parents.join('')}`)
  })
}
