import { optionIssues } from '@payment-intents/contract/options'

/**
 * Rejects unknown names and anything but an object: a test would pass without what it asks for.
 *
 * @param call the function whose options they are, as it is written
 * @param noun what a name stands for; `option` by default
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
