import type { EIP1193Provider, WalletOption } from '../options.ts'

export type Wallet = {
  /** Unique within a checkout; assigned here, never by an announcement. */
  id: string
  /** Whether the page provided it in its options, or it was found in the browser. */
  source: 'page' | 'browser'
  /** The wallet's own name; `null` for a nameless `window.ethereum`. */
  name: string | null
  icon: string | null
  provider: EIP1193Provider
}

type Announcement = {
  info?: { uuid?: unknown; name?: unknown; icon?: unknown }
  provider?: EIP1193Provider
}

/**
 * Calls back with all wallets, now and whenever another announces itself (EIP-6963): first the page's, then
 * those found. `window.ethereum` is included only when none has announced itself, since it is one of them.
 *
 * @see https://eips.ethereum.org/EIPS/eip-6963
 */
export function discoverWallets(
  brought: readonly WalletOption[],
  signal: AbortSignal,
  onWallets: (wallets: readonly Wallet[]) => void,
): void {
  // By the `uuid` of the announcement.
  const announced = new Map<string, Wallet>()
  const fromPage = brought.map(({ name, icon, provider }, index) => ({
    id: `page-${index}`,
    source: 'page' as const,
    name,
    icon: safeIcon(icon),
    provider,
  }))

  const report = () => {
    const found = announced.size > 0 ? [...announced.values()] : injected()
    onWallets([...fromPage, ...found])
  }

  const listen = (event: Event) => {
    const { info, provider } = (event as CustomEvent<Announcement | null>).detail ?? {}
    if (typeof provider?.request !== 'function') return
    if (typeof info?.uuid !== 'string' || typeof info.name !== 'string') return
    if (announced.has(info.uuid)) return
    announced.set(info.uuid, {
      id: `browser-${announced.size}`,
      source: 'browser',
      name: info.name,
      icon: safeIcon(info.icon),
      provider,
    })
    report()
  }

  window.addEventListener('eip6963:announceProvider', listen, { signal })
  report()
  window.dispatchEvent(new Event('eip6963:requestProvider'))
}

function injected(): Wallet[] {
  const { ethereum } = window as { ethereum?: EIP1193Provider }
  if (typeof ethereum?.request !== 'function') return []
  return [{ id: 'injected', source: 'browser', name: null, icon: null, provider: ethereum }]
}

// Shown only in `<img>`, where an SVG runs no scripts; only `data:`, so that nothing is loaded.
function safeIcon(icon: unknown): string | null {
  return typeof icon === 'string' && /^data:image\/[a-z+.-]+[;,]/i.test(icon) ? icon : null
}
