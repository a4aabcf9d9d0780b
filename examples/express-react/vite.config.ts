import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  plugins: [react()],
  // The page gets the address of the service, and nothing else of `.env`.
  envPrefix: 'PAYMENT_INTENTS_BASE_URL',
})
