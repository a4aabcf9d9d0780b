import { HttpError } from '@payment-intents/core'

/** The same error for an object that does not exist and for another merchant's. */
export function noSuch(noun: 'person' | 'passkey' | 'session' | 'API key' | 'wallet'): HttpError {
  return new HttpError('not_found', `There is no ${noun} with this id.`)
}
