import { createClient, isPaymentIntentsError } from '@payment-intents/node'
import { refundReturn, untilPaid } from './refundReturn.js'

const [id, paymentIntent, amount, destination] = process.argv.slice(2)
if (!destination) {
  console.error('npm start -- <return> <payment intent> <amount> <address of the buyer>')
  process.exit(2)
}

// Reads PAYMENT_INTENTS_API_KEY and PAYMENT_INTENTS_BASE_URL.
const { refunds } = createClient()

try {
  const created = await refundReturn(refunds, { id, paymentIntent, amount, destination })
  console.log(created.id, created.status)
  const refund = await untilPaid(refunds, created)
  console.log(refund.id, refund.status, refund.tx_hash ?? '')
  if (refund.status !== 'succeeded') process.exitCode = 1
} catch (error) {
  if (!isPaymentIntentsError(error)) throw error
  // Run the command again: it continues the same refund.
  console.error(error.message)
  process.exitCode = 1
}
