import { problemDetail } from '../../checkout/screen.ts'
import { en, type Messages } from '../../locales/en.ts'
import type { Intent } from '../../service/parseIntent.ts'
import type { Problem } from '../../wallet/problem.ts'
import { shorten, type View } from '../view.ts'

/** A problem's description, and how to solve it. */
export function problemText(problem: Problem, intent: Intent, { t, amount, merchant }: View) {
  const { name: network, native_symbol: symbol } = intent.network
  const key = problemKey(problem)
  const short = problem.shortUnits
  const facts: Partial<Record<string, string | undefined>> = {
    insufficient_token:
      short === undefined ? undefined : t('short', { amount: amount(intent, short), network }),
    insufficient_gas: t('gas', { network, symbol }),
    wrong_chain: t('switch_to', { network }),
    chain_add_failed: t('switch_to', { network }),
  }
  const account = shorten(problem.account ?? '')
  const text = t(problem.unsure ? 'look' : `${key}.text`, { merchant, network, account })
  const fact = facts[key]
  return {
    title: t(`${key}.title`, { token: intent.token_symbol, network }),
    text: fact ? `${fact} ${text}` : text,
  }
}

type ProblemName<Key> = Key extends `${infer Name}.text`
  ? `${Name}.title` extends keyof Messages
    ? Name
    : never
  : never

/** The message name of a problem. */
function problemKey(problem: Problem): ProblemName<keyof Messages> {
  const name = problemDetail(problem)
  const detail = name === 'duplicate_submission' ? 'duplicate' : name
  return `${detail}.text` in en ? (detail as ProblemName<keyof Messages>) : 'internal_error'
}
