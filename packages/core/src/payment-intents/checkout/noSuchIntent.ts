import { HttpError } from '../../http/httpError.ts'

/** The same for a wrong secret and an unknown intent. */
export function noSuchIntent(): HttpError {
  return new HttpError('intent_not_found', 'No payment intent has this client secret.')
}
