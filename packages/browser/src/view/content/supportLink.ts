import { plain } from './translator.ts'

/** How a contact is opened. */
export type SupportLink = { href: string; text: string; isPage: boolean }

/**
 * The link of a merchant's contact; `null` unless it is a mail address or an https URL.
 *
 * @param subject of a mail
 */
export function supportLink(contact: string | null, subject: string): SupportLink | null {
  if (!contact) return null
  if (/^https:\/\/[^\s@/?#]+(?:[/?#]\S*)?$/.test(contact)) {
    return { href: contact, text: contact.replace(/^https:\/\/|\/$/g, ''), isPage: true }
  }
  const [, name, host] = /^([^\s@:]+)@([\w-]+(?:\.[\w-]+)+)$/.exec(contact) ?? []
  if (!name || !host) return null
  // A name may contain the separators of a mailto link's headers (RFC 6068).
  const href = `mailto:${encodeURIComponent(name)}@${host}?subject=${encodeURIComponent(subject)}`
  return { href, text: contact, isPage: false }
}

/** `metadata` is the merchant's. */
type Ordered = {
  readonly id: string
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined
}

const maxOrderLength = 64

/** The merchant's order number if the payment has one: the merchant knows it best. */
export function orderOf({ id, metadata }: Ordered): string {
  const order = metadata?.order_id
  const text =
    typeof order === 'string' || typeof order === 'number' ? plain(`${order}`).trim() : ''
  return text && text.length <= maxOrderLength ? text : id
}
