import { openServiceModal } from '@payment-intents/browser'
import { walletConnect } from './walletConnect.ts'

const wallet = walletConnect(import.meta.env.VITE_WALLETCONNECT_PROJECT_ID)

document.querySelector('button')?.addEventListener('click', () => {
  openServiceModal({
    clientSecret: location.hash.slice(1), // In a shop, from your backend.
    merchantName: 'Kiosk',
    baseUrl: import.meta.env.VITE_PAYMENT_INTENTS_BASE_URL,
    wallets: [wallet],
    onSuccess: () => document.querySelector('button')?.replaceWith('Paid. Thank you!'),
  })
})
