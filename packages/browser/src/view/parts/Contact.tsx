import type { Intent } from '../../service/parseIntent.ts'
import { orderOf, supportLink } from '../content/supportLink.ts'
import type { View } from '../view.ts'
import { ExternalLink } from './ExternalLink.tsx'
import { h } from './h.ts'

type Props = {
  view: Pick<View, 't' | 'merchant'>
  intent: Intent
  /** The order's number is on the screen already. */
  isNamed: boolean
}

/** How the payer reaches the merchant, with the reference to name; nothing if the merchant has no contact. */
export function Contact({ view, intent, isNamed }: Props) {
  const { t, merchant } = view
  const order = orderOf(intent)
  const link = supportLink(intent.support, `${merchant}: ${order}`)
  if (!link) return null
  const { href, text, isPage } = link
  const title = t('contact', { merchant })
  return (
    <div class="contact">
      {isPage ? (
        <ExternalLink href={href} text={title} />
      ) : (
        <a class="link" href={href}>
          {title}
        </a>
      )}
      <p class="about">
        <bdi dir="ltr">{text}</bdi>
        {!isNamed && ` · ${t('order', { order })}`}
      </p>
    </div>
  )
}
