import { createCapability, hmac } from './capability.ts'

/** The secret that opens an intent's checkout: `<id>_secret_<256 bits>`. */
export const { of: clientSecretOf, read: readClientSecret } = createCapability(
  '_secret_',
  (intentId, key) => hmac(key.clientSecrets, `client_secret:${intentId}`),
)
