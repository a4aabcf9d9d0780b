import type { EIP1193Provider, WalletOption } from '../../checkoutOptions.ts'
import { sleep } from '../../lib/sleep.ts'

export type Wallet = {
  /** Unique within a checkout; assigned here, never by an announcement. */
  id: string
  /** Whether the page provided it in its options, or it was found in the browser. */
  source: 'page' | 'browser'
  /** The wallet's own name; `null` for a nameless `window.ethereum`. */
  name: string | null
  icon: string | null
  /** The announced name of its maker's domain, such as `io.metamask`. */
  rdns?: string
  /** The payer used it last. */
  isLast?: boolean
  provider: EIP1193Provider
}

type Announcement = {
  info?: { uuid?: unknown; name?: unknown; icon?: unknown; rdns?: unknown }
  provider?: EIP1193Provider
}

/**
 * Calls back with all wallets, now and whenever the list changes: first the page's, then those that announce themselves
 * (EIP-6963). `window.ethereum` is included only if no wallet has announced itself, since an announced wallet may be the same. Wallets that are
 * injected late are found by their event, by looking again for some seconds, and when the payer returns to the page.
 *
 * @see https://eips.ethereum.org/EIPS/eip-6963
 */
export function discoverWallets(
  pageWallets: readonly WalletOption[],
  signal: AbortSignal,
  onWallets: (wallets: readonly Wallet[]) => void,
): void {
  const announced: Wallet[] = []
  const fromPage = pageWallets.map(({ name, icon, provider }, index) => ({
    id: `page-${index}`,
    source: 'page' as const,
    name,
    icon: safeIcon(icon),
    provider,
  }))

  let reported: readonly Wallet[] | undefined
  const report = () => {
    const wallets = [...fromPage, ...(announced.length > 0 ? announced : injected())]
    const isSame = wallets.every(({ provider }, at) => provider === reported?.[at]?.provider)
    if (isSame && wallets.length === reported?.length) return
    reported = wallets
    onWallets(wallets)
  }

  const listen = (event: Event) => {
    const candidate = readAnnouncement(event)
    // A wallet may announce itself again, with another `uuid`: the payer could not distinguish the two.
    const isListed = announced.some(
      ({ name, icon }) => name === candidate?.name && icon === candidate.icon,
    )
    if (!candidate || isListed) return
    announced.push({ id: `browser-${announced.length}`, source: 'browser', ...candidate })
    report()
  }

  const look = () => {
    window.dispatchEvent(new Event('eip6963:requestProvider'))
    report()
  }
  window.addEventListener('eip6963:announceProvider', listen, { signal })
  window.addEventListener('ethereum#initialized', look, { signal })
  document.addEventListener('visibilitychange', () => document.hidden || look(), { signal })
  look()
  rediscover(look, signal)
}

/** Some wallets are injected seconds after the page is drawn, and say nothing. */
async function rediscover(look: () => void, signal: AbortSignal): Promise<void> {
  for (const pauseMs of [250, 250, 500, 1000, 2000, 4000]) {
    await sleep(pauseMs, signal)
    if (signal.aborted) return
    look()
  }
}

/** Anything on the page may dispatch such an event, with getters that throw. */
function readAnnouncement(event: Event) {
  try {
    const { info, provider } = (event as CustomEvent<Announcement | null>).detail ?? {}
    const { uuid, name, icon, rdns } = info ?? {}
    if (typeof uuid !== 'string' || typeof name !== 'string') return null
    if (typeof provider?.request !== 'function') return null
    const isDomain = typeof rdns === 'string' && /^[\w.-]{1,99}$/.test(rdns)
    return { name, icon: safeIcon(icon), provider, ...(isDomain ? { rdns } : {}) }
  } catch {
    return null
  }
}

function injected(): Wallet[] {
  try {
    const { ethereum } = window as { ethereum?: EIP1193Provider }
    if (typeof ethereum?.request !== 'function') return []
    return [{ id: 'injected', source: 'browser', name: null, icon: null, provider: ethereum }]
  } catch {
    return []
  }
}

// Shown only in `<img>`, where an SVG runs no scripts; only `data:`, so that nothing is loaded.
function safeIcon(icon: unknown): string | null {
  return typeof icon === 'string' && /^data:image\/[a-z+.-]+[;,]/i.test(icon) ? icon : null
}
