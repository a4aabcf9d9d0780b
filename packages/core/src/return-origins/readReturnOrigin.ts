import { returnOriginOf } from '../payment-intents/checkout/returnOrigin.ts'

/** Hosts have at most 253 characters. */
const maxCharacters = 300

/** The rule for return origins, of the API and of the command line; follows the name of the property or the option. */
export const returnOriginMust =
  'must be https:// and a host, such as https://shop.example.com, without a path; http:// only on localhost, for test mode'

/** An origin without a path: a path would promise that only addresses below it are allowed. null: not an origin. */
export function readReturnOrigin(text: string): string | null {
  const origin = returnOriginOf(text)
  if (origin === null || origin.length > maxCharacters) return null
  return new URL(text).href === `${origin}/` ? origin : null
}
