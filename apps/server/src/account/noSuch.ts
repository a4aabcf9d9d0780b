import { HttpError } from '@payment-intents/core'

/** The same whether the object does not exist or is another merchant's. */
export function noSuch(noun: 'person' | 'passkey' | 'session' | 'API key' | 'wallet'): HttpError {
  return new HttpError('not_found', `There is no ${noun} with this id.`)
}
