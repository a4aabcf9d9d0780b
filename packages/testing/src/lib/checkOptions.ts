import { optionIssues } from '@payment-intents/contract/options'

/**
 * Rejects unknown names and anything but an object: a test would pass without the effect of a misspelt option.
 *
 * @param call the call that takes the options, such as `service.pay`
 * @param noun the kind of the names; `option` by default
 * @throws TypeError
 */
export function checkOptions(
  call: string,
  options: unknown,
  names: Readonly<Record<string, true>>,
  noun?: string,
): void {
  const issues = optionIssues(options, names, noun)
  if (issues.length === 0) return
  throw new TypeError(`${call}: ${issues.map(({ message }) => message).join(' ')}`)
}
