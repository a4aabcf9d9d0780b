const { readFileSync } = require('node:fs')
const { toUnits } = require('@payment-intents/node')
const { webhookRoute } = require('@payment-intents/node/fastify')
const fastify = require('fastify')
const { createOrder, findOrder, markPaid } = require('./orders.js')
const { startPayment } = require('./startPayment.js')

const prices = new Map([
  ['mug', '12.00'],
  ['notebook', '7.50'],
])

const app = fastify({ logger: { level: 'warn' } })

app.register(
  webhookRoute('/webhooks', (event) => {
    if (event.type !== 'payment_intent.succeeded') return
    const order = markPaid(event.data.object)
    // Ship from the order's row; this line only shows that it happens once.
    if (order) console.log(`Ship the ${order.item} of ${order.id}`)
  }),
)

app.get('/api/goods', async () => [...prices].map(([item, price]) => ({ item, price })))

app.post('/api/orders', async (request, reply) => {
  const { item } = request.body ?? {}
  const price = prices.get(item)
  if (price === undefined) return reply.code(400).send()
  return reply.code(201).send(describe(createOrder(item, toUnits(price))))
})

app.get('/api/orders/:id', async (request, reply) => {
  const order = findOrder(request.params.id)
  return order ? describe(order) : reply.code(404).send()
})

app.post('/api/orders/:id/payment', async (request, reply) => {
  const order = findOrder(request.params.id)
  if (!order) return reply.code(404).send()
  if (order.paid_at) return reply.code(409).send()
  return { client_secret: await startPayment(order) }
})

function describe({ id, item, paid_at }) {
  return { id, item, price: prices.get(item), paid: paid_at !== null }
}

// The page gets the address of the service, and nothing else of `.env`.
const service = process.env.PAYMENT_INTENTS_BASE_URL
const page = readFileSync('shop.html', 'utf8').replace('{{service}}', service)
const sendPage = async (_request, reply) => reply.type('text/html').send(page)
app.get('/', sendPage)
app.get('/orders/:id', sendPage)

const port = Number(process.env.PORT ?? 3000)
app.listen({ port }).then(() => console.log(`The shop is open at http://localhost:${port}`))
