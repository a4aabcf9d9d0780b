/** The least that Fastify can do: echo a body as large as a response of the server. */
import { createRequire } from 'node:module'

const serverRequires = createRequire(new URL('../../apps/server/package.json', import.meta.url))
const { fastify } = serverRequires('fastify')

const app = fastify()
app.get('/', async () => ({ ok: true }))
app.post('/echo', async ({ body }: { body: unknown }) => body)
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
process.on('SIGTERM', () => process.exit())
