import { toUnits } from '@payment-intents/node'
import { webhookHandler } from '@payment-intents/node/express'
import express from 'express'
import { createOrder, findOrder, markPaid, type Order } from './orders.ts'
import { startPayment } from './startPayment.ts'

const prices = new Map([
  ['mug', '12.00'],
  ['notebook', '7.50'],
])

const app = express()

// Before `express.json()`: the signature covers the raw body.
app.post(
  '/webhooks',
  webhookHandler((event) => {
    if (event.type !== 'payment_intent.succeeded') return
    const order = markPaid(event.data.object)
    // Ship from the order's row; this line only shows that it happens once.
    if (order) console.log(`Ship the ${order.item} of ${order.id}`)
  }),
)
app.use(express.json())

app.get('/api/goods', (_request, response) => {
  response.json([...prices].map(([item, price]) => ({ item, price })))
})

app.post('/api/orders', (request, response) => {
  const item = request.body?.item
  const price = prices.get(item)
  if (price === undefined) response.sendStatus(400)
  else response.status(201).json(describe(createOrder(item, toUnits(price))))
})

app.get('/api/orders/:id', (request, response) => {
  const order = findOrder(request.params.id)
  if (order) response.json(describe(order))
  else response.sendStatus(404)
})

app.post('/api/orders/:id/payment', async (request, response) => {
  const order = findOrder(request.params.id)
  if (!order) response.sendStatus(404)
  else if (order.paid_at) response.sendStatus(409)
  else response.json({ client_secret: await startPayment(order) })
})

function describe({ id, item, paid_at }: Order) {
  return { id, item, price: prices.get(item), paid: paid_at !== null }
}

app.use(express.static('dist'))
app.get('/orders/:id', (_request, response) => response.sendFile('index.html', { root: 'dist' }))

const port = process.env.PORT ?? 3000
app.listen(port, () => console.log(`The shop is open at http://localhost:${port}`))
