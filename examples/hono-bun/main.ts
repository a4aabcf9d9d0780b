import { toUnits } from '@payment-intents/node'
import { webhookHandler } from '@payment-intents/node/hono'
import { type Context, Hono } from 'hono'
import { createOrder, findOrder, markPaid, type Order } from './orders.ts'
import { startPayment } from './startPayment.ts'

const prices = new Map([
  ['mug', '12.00'],
  ['notebook', '7.50'],
])

const app = new Hono()

app.post(
  '/webhooks',
  webhookHandler((event) => {
    if (event.type !== 'payment_intent.succeeded') return
    const order = markPaid(event.data.object)
    // Ship from the order's row; this line only shows that it happens once.
    if (order) console.log(`Ship the ${order.item} of ${order.id}`)
  }),
)

app.get('/api/goods', (context) =>
  context.json([...prices].map(([item, price]) => ({ item, price }))),
)

app.post('/api/orders', async (context) => {
  const { item } = await context.req.json()
  const price = prices.get(item)
  if (price === undefined) return context.body(null, 400)
  return context.json(describe(createOrder(item, toUnits(price))), 201)
})

app.get('/api/orders/:id', (context) => {
  const order = findOrder(context.req.param('id'))
  return order ? context.json(describe(order)) : context.notFound()
})

app.post('/api/orders/:id/payment', async (context) => {
  const order = findOrder(context.req.param('id'))
  if (!order) return context.notFound()
  if (order.paid_at) return context.body(null, 409)
  return context.json({ client_secret: await startPayment(order) })
})

function describe({ id, item, paid_at }: Order) {
  return { id, item, price: prices.get(item), paid: paid_at !== null }
}

// The page gets the address of the service, and nothing else of `.env`.
const service = process.env.PAYMENT_INTENTS_BASE_URL ?? ''
const page = (await Bun.file('shop.html').text()).replace('{{service}}', service)
const sendPage = (context: Context) => context.html(page)
app.get('/', sendPage)
app.get('/orders/:id', sendPage)

export default app // Bun serves it at PORT, or 3000.
