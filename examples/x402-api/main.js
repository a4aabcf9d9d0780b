import { paymentRequired } from '@payment-intents/node/express'
import express from 'express'

const app = express()

// Reads PAYMENT_INTENTS_API_KEY and PAYMENT_INTENTS_BASE_URL.
const oneCall = paymentRequired({
  price: '0.01',
  wallet: process.env.WALLET,
  description: 'One weather report',
  metadata: { product: 'weather' },
})

app.get('/weather', oneCall, (_request, response) => {
  response.json({ sky: 'clear', celsius: 21 })
})

const port = Number(process.env.PORT ?? 3000)
app.listen(port, () => console.log(`The weather is sold at http://localhost:${port}/weather`))
