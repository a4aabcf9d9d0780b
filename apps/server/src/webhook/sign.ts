export { signedHeaders } from '@payment-intents/contract/signing'
