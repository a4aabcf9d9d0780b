import type { StatusContent } from '../view/content/statusContent.ts'
import { h } from '../view/parts/h.ts'
import type { View } from '../view/view.ts'
import type { Back } from './returnOf.ts'

/** A page cannot be closed, only left: for the shop, if its address is known. */
export function endContent(
  view: View,
  back: Back | null,
  stay: () => void,
): Partial<StatusContent> {
  const { t, merchant } = view
  if (!back) return { note: t('paid.leave') }
  const ending = (
    <a class="primary" part="button" href={back.href} rel="noreferrer">
      {t('return.to', { merchant })}
    </a>
  )
  if (!back.afterMs) return { ending }
  const actions = [{ label: t('leaving.stay'), run: stay, quiet: true as const }]
  return { ending, hint: t('return.soon'), actions }
}
