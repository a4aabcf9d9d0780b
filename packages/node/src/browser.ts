const sentence =
  '@payment-intents/node was imported by code that is built for the browser, where its API key would be public. ' +
  'Import it from your backend only; in the page, pass the client_secret to openServiceModal from ' +
  '@payment-intents/browser. (Tests under a browser-like environment need the node environment.)'

// The names exist so that a bundler gets as far as running this file and its sentence is seen.
export const createClient: never = refuse()
export const isPaymentIntentsError: never = refuse()
export const isWebhookVerificationError: never = refuse()
export const PaymentIntentsError: never = refuse()
export const toUnits: never = refuse()
export const verifyWebhook: never = refuse()
export const WebhookVerificationError: never = refuse()

function refuse(): never {
  throw new Error(sentence)
}
