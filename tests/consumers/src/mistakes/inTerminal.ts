import type { Mistake } from './mistake.ts'

/** Mistakes in a terminal: a line of a shell, with a test key and the base URL in the environment unless it unsets them. */
export const inTerminal: readonly Mistake[] = [
  { mistake: 'A command that does not exist', code: 'payment-intents listn', about: 'listen' },
  {
    mistake: 'A misspelt flag',
    code: 'payment-intents listen --forward localhost:3000/webhooks',
    about: '--forward-to',
  },
  {
    mistake: "Stripe's flag for the key",
    code: 'payment-intents listen --api-key $PAYMENT_INTENTS_API_KEY',
    about: 'PAYMENT_INTENTS_API_KEY',
  },
  {
    mistake: 'No key in the environment',
    code: 'PAYMENT_INTENTS_API_KEY= payment-intents listen',
    about: 'PAYMENT_INTENTS_API_KEY',
  },
  {
    mistake: 'A live key on the own machine',
    code: 'PAYMENT_INTENTS_API_KEY=sk_live_Vn4kTqWbyG7 payment-intents listen',
    about: '--live',
  },
  {
    mistake: "A type of Stripe's events",
    code: 'payment-intents trigger charge.succeeded --forward-to localhost:3000',
    about: 'payment_intent.succeeded',
  },
  {
    mistake: 'An event that does not exist',
    code: 'payment-intents events resend evt_0Vn4kTqWbyG7',
    about: 'event',
  },
]
