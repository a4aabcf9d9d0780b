import type { Receipt } from './parseReceipt.ts'

/** Longer addresses open no mail program on Windows. */
const maxMailLength = 2_000

/** A link to this page with a receipt, which browsers keep to themselves. */
function linkTo(receipt: Receipt): string {
  const { origin, pathname, search } = location
  return `${origin}${pathname}${search}#${encodeURIComponent(JSON.stringify(receipt))}`
}

/**
 * A mail with a link to a receipt. If the link would be too long, it omits the metadata, and then the refunds, which the page requests from
 * the service.
 */
export function mailTo(receipt: Receipt, subject: string): string {
  const { metadata: _, ...terms } = receipt
  const { refunds: __, ...payment } = terms
  const [full, short, shortest] = [receipt, terms, payment].map(
    (variant) =>
      `mailto:?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(linkTo(variant))}`,
  ) as [string, string, string]
  return [full, short].find(({ length }) => length <= maxMailLength) ?? shortest
}

/** Whether the browser has a dialog to share a link, as phones do. */
export function canShareFile(): boolean {
  return typeof navigator.share === 'function'
}

/** Opens the browser's dialog. */
export async function shareReceipt(receipt: Receipt, title: string): Promise<void> {
  try {
    await navigator.share({ title, url: linkTo(receipt) })
  } catch (error) {
    // The payer closed the dialog.
    if ((error as Error).name !== 'AbortError') throw error
  }
}
