import type { Screen } from '../../checkout/screen.ts'
import type { Intent } from '../../service/parseIntent.ts'
import type { Wallet } from '../../wallet/provider/discoverWallets.ts'
import type { IconName } from '../parts/Icon.tsx'
import type { VNode } from '../parts/patch.ts'
import type { View } from '../view.ts'
import { endedContent } from './status/endedContent.ts'
import { leavingContent } from './status/leavingContent.ts'
import { nearMissContent } from './status/nearMissContent.ts'
import { paidContent } from './status/paidContent.ts'
import { problemContent } from './status/problemContent.ts'
import { confirmingContent, sentContent } from './status/sentContent.ts'
import { unpayableContent } from './status/unpayableContent.ts'
import { requestedContent, walletContent } from './status/walletContent.ts'

export type StatusContent = {
  title: string
  text: string
  /** A second paragraph. */
  more?: string | false
  /** Shown after a long wait. */
  hint?: string | false
  /** An icon in a disc; without an icon, a ring filled up to `count` or rotating around `wallet`. */
  icon?: IconName
  tone?: 'ok' | 'warn'
  count?: { done: number; of: number }
  wallet?: Pick<Wallet, 'icon'>
  /** The requested amount. */
  sum?: { intent: Intent; units: bigint }
  /** The account that pays. */
  payer?: string | null | undefined
  /** The paid amount, in large type in place of the text, and facts about it. */
  paid?: { amount: string; facts: readonly (string | null)[] }
  /** The transaction, with a link to it where the chain has an explorer. */
  tx?: { intent: Intent; txHash: string | null }
  /** Link to the receipt. */
  receipt?: string | null
  note?: string
  /** The merchant's contact is shown, with this order's id. */
  contact?: Intent
  /** The way back to the shop, drawn by the page that knows it. */
  ending?: VNode | null
  /** The first is primary unless it is `quiet`. */
  actions?: readonly Action[]
}

export type Action = { label: string; run: () => void; quiet?: true }

type StatusScreen = Exclude<Screen, { name: 'pay' }>

const contents: {
  readonly [Name in StatusScreen['name']]: (
    shown: StatusScreen & { name: Name },
    view: View,
  ) => StatusContent
} = {
  loading: loadingContent,
  wallet: walletContent,
  requested: requestedContent,
  problem: problemContent,
  near_miss: nearMissContent,
  sent: sentContent,
  confirming: confirmingContent,
  paid: paidContent,
  leaving: leavingContent,
  expired: endedContent,
  canceled: endedContent,
  unknown_token: unpayableContent,
  not_found: unpayableContent,
}

/** The content of every screen but `pay`. */
export function statusContent(shown: StatusScreen, view: View): StatusContent {
  const content = contents[shown.name] as (shown: StatusScreen, view: View) => StatusContent
  return content(shown, view)
}

function loadingContent(_: Screen, { t, state }: View): StatusContent {
  const cause = state.outage?.cause
  return { title: t(cause ? `${cause}.title` : 'loading'), text: cause ? t('trying') : '' }
}
