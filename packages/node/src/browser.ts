const sentence =
  '@payment-intents/node was imported by code that is built for the browser, where its API key would be public. ' +
  'Import it from your backend only; in the page, pass the client_secret to openServiceModal from ' +
  '@payment-intents/browser. (Tests under a browser-like environment need the node environment.)'

// The names exist so that bundling succeeds and this file throws its message when it runs.
export const createClient: never = refuse()
export const isPaymentIntentEvent: never = refuse()
export const isPaymentIntentsError: never = refuse()
export const isWebhookVerificationError: never = refuse()
export const PaymentIntentsError: never = refuse()
export const toUnits: never = refuse()
export const verifyWebhook: never = refuse()
export const WebhookVerificationError: never = refuse()

function refuse(): never {
  throw new Error(sentence)
}
