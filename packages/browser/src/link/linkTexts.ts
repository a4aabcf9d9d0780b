import { plain } from '../view/content/translator.ts'
import type { AmountFault } from './amountField.ts'
import { amountOf, type LinkView } from './LinkStep.tsx'
import type { LinkScreen } from './linkState.ts'

type Open = LinkScreen & { name: 'open' }

/** The range of amounts that the payer may choose; empty without limits. */
export function limitsText(view: LinkView, { link }: Open): string {
  const { min_units, max_units } = link
  const min = min_units === null ? '' : amountOf(view, { link }, BigInt(min_units))
  const max = max_units === null ? '' : amountOf(view, { link }, BigInt(max_units))
  if (min && max) return view.t('link.range', { least: min, most: max })
  if (min) return view.t('link.least', { least: min })
  return max && view.t('link.most', { most: max })
}

export function faultText(view: LinkView, shown: Open, fault: AmountFault): string {
  const { t, number } = view
  const { link } = shown
  const limits = limitsText(view, shown)
  switch (fault) {
    case 'decimals':
      return t('link.decimals', { digits: number(link.decimals) })
    case 'low':
      return limits || t('link.least', { least: amountOf(view, shown, 1n) })
    case 'high':
      return limits || t('link.most', { most: amountOf(view, shown, maxUnits) })
    default: {
      const example = view.price('12.5', undefined)
      return t('link.malformed', { example })
    }
  }
}

const maxUnits = BigInt(Number.MAX_SAFE_INTEGER)

/** Why the last press created no payment. */
export function refusalText({ t, state }: LinkView, { network }: Open): string {
  const { refusal } = state
  switch (refusal) {
    case 'rate_limited':
      return t('link.busy')
    case 'no_wallet':
      return t('link.no_network', { network: plain(network?.name ?? '') })
    case null:
      return ''
    default:
      return t('titled', { title: t(`${refusal}.title`), text: t('network_error.text') })
  }
}
