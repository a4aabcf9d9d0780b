import { ExactEvmScheme } from '@x402/evm'
import { decodePaymentResponseHeader, wrapFetchWithPaymentFromConfig } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'

// It pays up to a dollar to any API: keep no more in its account than the program may spend.
const payingFetch = wrapFetchWithPaymentFromConfig(fetch, {
  schemes: [
    {
      network: 'eip155:84532', // Base Sepolia.
      client: new ExactEvmScheme(privateKeyToAccount(process.env.PAYER_KEY)),
    },
  ],
})

const response = await payingFetch(`http://localhost:${process.env.PORT ?? 3000}/weather`)
console.log(response.status, await response.text())
const paid = response.headers.get('payment-response')
if (paid) console.log('paid in', decodePaymentResponseHeader(paid).transaction)
if (!response.ok) process.exitCode = 1
