/**
 * How a wallet opens a page in its own browser, as its maker documents it, and the background of its initial: makers allow
 * their logos only by agreement, or only unchanged and in their own sizes.
 */
type WalletDeepLink = readonly [wallet: string, link: (page: string) => string, color: string]

/**
 * @see https://docs.metamask.io/metamask-connect/evm/guides/metamask-exclusive/use-deeplinks/
 * @see https://docs.cdp.coinbase.com/coinbase-wallet/developer-guidance/mobile-dapp-integration
 * @see https://developer.trustwallet.com/developer/develop-for-trust/deeplinking
 * @see https://github.com/rainbow-me/rainbow/blob/develop/src/handlers/deeplinks.ts
 * @see https://docs.phantom.com/phantom-deeplinks/other-methods/browse
 */
export const walletDeepLinks: readonly WalletDeepLink[] = [
  [
    'MetaMask',
    (page) => `https://link.metamask.io/dapp/${page.replace(/^\w+:\/\//, '')}`,
    '#c2571a',
  ],
  ['Base', (page) => `https://go.cb-w.com/dapp?cb_url=${encodeURIComponent(page)}`, '#0000ff'],
  [
    'Trust Wallet',
    (page) => `https://link.trustwallet.com/open_url?coin_id=60&url=${encodeURIComponent(page)}`,
    '#0500ff',
  ],
  ['Rainbow', (page) => `https://rnbwapp.com/dapp?url=${encodeURIComponent(page)}`, '#001e59'],
  [
    'Phantom',
    (page) =>
      `https://phantom.app/ul/browse/${encodeURIComponent(page)}?ref=${encodeURIComponent(new URL(page).origin)}`,
    '#534bb1',
  ],
]
