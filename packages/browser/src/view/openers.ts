/** How a wallet opens a page in its own browser, as its maker documents it. */
type Opener = readonly [wallet: string, link: (page: string) => string]

/**
 * @see https://docs.metamask.io/metamask-connect/evm/guides/metamask-exclusive/use-deeplinks/
 * @see https://docs.cdp.coinbase.com/coinbase-wallet/developer-guidance/mobile-dapp-integration
 * @see https://developer.trustwallet.com/developer/develop-for-trust/deeplinking
 * @see https://github.com/rainbow-me/rainbow/blob/develop/src/handlers/deeplinks.ts
 * @see https://docs.phantom.com/phantom-deeplinks/other-methods/browse
 */
export const openers: readonly Opener[] = [
  ['MetaMask', (page) => `https://link.metamask.io/dapp/${page.replace(/^\w+:\/\//, '')}`],
  ['Base', (page) => `https://go.cb-w.com/dapp?cb_url=${encodeURIComponent(page)}`],
  [
    'Trust Wallet',
    (page) => `https://link.trustwallet.com/open_url?coin_id=60&url=${encodeURIComponent(page)}`,
  ],
  ['Rainbow', (page) => `https://rnbwapp.com/dapp?url=${encodeURIComponent(page)}`],
  [
    'Phantom',
    (page) =>
      `https://phantom.app/ul/browse/${encodeURIComponent(page)}?ref=${encodeURIComponent(new URL(page).origin)}`,
  ],
]
