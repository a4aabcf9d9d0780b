import { h } from './h.ts'
import { Icon } from './Icon.tsx'

type Props = {
  href: string
  text: string
  /** Drawn as a button. */
  button?: 'primary' | 'outlined' | 'quiet'
}

/** A link that opens in a new tab. */
export function ExternalLink({ href, text, button }: Props) {
  return (
    <a
      class={button ?? 'link'}
      part={button && 'button'}
      href={href}
      target="_blank"
      rel="noopener noreferrer"
    >
      {text} <Icon name="external" />
    </a>
  )
}
