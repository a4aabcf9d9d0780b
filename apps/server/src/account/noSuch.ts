import { HttpError } from '@payment-intents/core'

/** The error for an object that does not exist. Another merchant's object gets the same error. */
export function noSuch(noun: 'person' | 'passkey' | 'session' | 'API key' | 'wallet'): HttpError {
  return new HttpError('not_found', `There is no ${noun} with this id.`)
}
