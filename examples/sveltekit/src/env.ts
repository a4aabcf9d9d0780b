import { defineEnvVars } from '@sveltejs/kit/env'

export const variables = defineEnvVars({
  PAYMENT_INTENTS_API_KEY: {},
  // The page gets the address of the service, and nothing else of `.env`.
  PAYMENT_INTENTS_BASE_URL: { public: true },
  PAYMENT_INTENTS_WEBHOOK_SECRET: {},
})
