/** What Fastify answers at best: the body that it was sent, which is as large as an answer of ours. */
import Fastify from '../../apps/server/node_modules/fastify/fastify.js'

const app = Fastify()
app.get('/', async () => ({ ok: true }))
app.post('/echo', async (request) => request.body)
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
process.on('SIGTERM', () => process.exit())
