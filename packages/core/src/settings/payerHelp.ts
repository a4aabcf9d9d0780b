const maxCharacters = 200

/** The addresses of HTML's `input type=email`, with a dot in the host. */
const mailAddress =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/i

/**
 * Reads a merchant's support contact: a mail address, or an https URL, as browsers write it.
 *
 * @returns null: it is neither, or too long
 */
export function readSupport(text: string): string | null {
  const trimmed = text.trim()
  const contact = mailAddress.test(trimmed) ? trimmed : readUrl(trimmed)
  return contact !== null && contact.length <= maxCharacters ? contact : null
}

/**
 * Reads where a merchant sends payers who have no USDC: an https URL, or `none`, which hides the checkout's own ways.
 *
 * @returns null: it is neither, or too long
 */
export function readGuide(text: string): string | null {
  const trimmed = text.trim()
  const guide = trimmed === 'none' ? trimmed : readUrl(trimmed)
  return guide !== null && guide.length <= maxCharacters ? guide : null
}

/** Refuses a user name: with it a URL can seem to be of another host. */
function readUrl(text: string): string | null {
  const url = URL.parse(text)
  return url?.protocol === 'https:' && !url.username && !url.password ? url.href : null
}
