import { openServiceModal } from '@payment-intents/browser'
import { baseAccount } from './baseAccount.ts'

document.querySelector('button')?.addEventListener('click', () => {
  openServiceModal({
    clientSecret: location.hash.slice(1), // In a shop, from your backend.
    merchantName: 'Kiosk',
    baseUrl: import.meta.env.VITE_PAYMENT_INTENTS_BASE_URL,
    wallets: [baseAccount(document.title)],
    onSuccess: () => document.querySelector('button')?.replaceWith('Paid. Thank you!'),
  })
})
