import type { Screen } from '../../../checkout/screen.ts'
import { priceDue } from '../../../lib/amount.ts'
import type { Problem } from '../../../wallet/problem.ts'
import type { View } from '../../view.ts'
import { nearMisses } from '../nearMisses.ts'
import { problemText } from '../problemText.ts'
import type { StatusContent } from '../statusContent.ts'
import { sentences } from './sentences.ts'
import { end, insist } from './statusActions.ts'

/** Problems that are the payer's own decision. */
const chosen = /^(user_rejected|wallet_unauthorized)$/

/** A payment with a wallet did not go through. */
export function problemContent(shown: Screen & { name: 'problem' }, view: View): StatusContent {
  const { problem, intent, mayStillPay } = shown
  const sum = { intent, units: priceDue(intent) }
  return {
    ...problemText(problem, intent, view),
    // The text is about an earlier request, not the request with this problem.
    more: sentences(
      mayStillPay && !aboutSent(problem) && view.t('requested.before'),
      nearMisses(view, intent),
    ),
    // The payer's own choice is no cause for alarm.
    ...(chosen.test(problem.code)
      ? { icon: 'wallet' as const }
      : { icon: 'alert' as const, tone: 'warn' as const }),
    sum,
    ending:
      (problem.code === 'insufficient_token' && view.manualParts()?.GetUsdc({ view, ...sum })) ||
      null,
    ...problemActions(shown, view),
  }
}

/** The actions for a problem. Invariant: an action that may pay twice is never first. */
function problemActions(
  { problem, mayStillPay, wallet }: Screen & { name: 'problem' },
  view: View,
) {
  const { t, actions } = view
  // The account has paid before: the payment shows once the network has it.
  if (mayStillPay || problem.code === 'duplicate_submission') return { actions: [insist(view)] }
  // The token refuses every payment to a blocked recipient.
  if (problem.recipient) return end(view)
  const retry = {
    label: t('retry'),
    run: () => actions.pay(wallet),
    // The payer first finishes the request that waits in the wallet.
    ...(problem.code === 'request_pending' && { quiet: true as const }),
  }
  const other = { label: t('other_way'), run: actions.back }
  // A wallet may have somebody else pay the fee.
  const anyway = { label: t('anyway'), run: () => actions.pay(wallet, true) }
  const onward = problem.code === 'insufficient_gas' ? [anyway] : []
  return { actions: [retry, ...onward, other] }
}

/** Whether the problem is about a payment that may have been sent. */
function aboutSent({ unsure, code }: Problem): boolean {
  return unsure === true || /^tx_/.test(code)
}
