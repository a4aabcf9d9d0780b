import type { CheckoutErrorCode } from '@payment-intents/browser'
import { atWallets } from './cataloguePay.ts'
import type { Entry } from './entry.ts'
import { hang, refuse, respondWith } from './scriptedWallet.ts'

const elsewhere = { chainId: 1 }
const balanceOf = 'eth_call 0x70a08231'
const transfer = 'eth_call 0xa9059cbb'
const hasRequested =
  'Your wallet was asked to pay. Open it and answer the request that is waiting there. Once approved, the payment shows here by itself. Do not pay another way in the meantime.'

const confirming = {
  screen: 'wallet',
  detail: 'confirming',
  heading: 'Confirm in Test Wallet',
  kind: 'passing',
} as const
const pendingTransfer = { lies: { eth_sendTransaction: hang } }
const requestedScreen = {
  screen: 'requested',
  heading: 'Your wallet was asked to pay',
  announced: hasRequested,
  kind: 'held',
  wallet: pendingTransfer,
} as const

/** The common part of most problems: the wallet gets a request, and the payer may try again. */
function problem(code: CheckoutErrorCode) {
  const walk: Entry['walk'] = ({ pay }) => pay()
  return { screen: 'problem', detail: code, code, kind: 'payable', walk } as const
}

/** While the wallet has a request, and its possible responses. */
export const walletScreens: readonly Entry[] = [
  {
    name: 'wallet-connecting',
    about: 'The wallet prompts for the account that may pay.',
    screen: 'wallet',
    detail: 'connecting',
    heading: 'Connect Test Wallet',
    announced: 'Connect Test Wallet. Choose the account to pay from.',
    kind: 'passing',
    wallet: { lies: { eth_requestAccounts: hang } },
    walk: ({ pay }) => pay(),
  },
  {
    name: 'wallet-request-pending',
    about:
      'An earlier request still waits in the wallet; the payment goes on once the payer responds to it.',
    screen: 'wallet',
    detail: 'request_pending',
    heading: 'Your wallet already has a request',
    announced:
      'Your wallet already has a request. Open it and answer the request that is waiting there.',
    kind: 'passing',
    wallet: {
      lies: {
        eth_requestAccounts: refuse(-32002, 'Already processing.'),
        eth_accounts: respondWith([]),
      },
    },
    walk: ({ pay }) => pay(),
  },
  {
    name: 'wallet-switching',
    about: 'The wallet is on another network and prompts for a change.',
    screen: 'wallet',
    detail: 'switching',
    heading: 'Switch to Base Sepolia',
    announced: 'Switch to Base Sepolia. Approve the change of network in your wallet.',
    kind: 'passing',
    wallet: { ...elsewhere, lies: { wallet_switchEthereumChain: hang } },
    walk: ({ pay }) => pay(),
  },
  {
    name: 'wallet-checking',
    about:
      'The checkout checks balance, pause and fee before the wallet prompts for the signature.',
    screen: 'wallet',
    detail: 'checking',
    heading: 'Checking your account',
    announced: 'Checking your account. Looking up the balance on Base Sepolia.',
    kind: 'passing',
    wallet: { lies: { [balanceOf]: hang } },
    async walk({ pay, holdClock }) {
      await holdClock()
      await pay()
    },
  },
  {
    ...confirming,
    name: 'wallet-confirming',
    about: 'The wallet prompts for the transfer.',
    announced: 'Confirm in Test Wallet. Review the transfer there and approve it.',
    wallet: pendingTransfer,
    walk: ({ pay }) => pay(),
  },
  {
    ...confirming,
    name: 'wallet-quiet',
    about: 'The wallet has said nothing for twenty seconds.',
    announced:
      'Confirm in Test Wallet. Review the transfer there and approve it. Nothing to see? Open your wallet: the request may be waiting there. Your browser may have blocked its window. Hardware wallets take a while.',
    wallet: pendingTransfer,
    async walk({ pay, reach, holdClock, pass }) {
      await holdClock()
      await pay()
      await reach('wallet', 'confirming')
      await pass(21)
    },
  },
  {
    ...confirming,
    name: 'wallet-amount',
    about: 'A smart wallet gets a request for the payable amount, and the screen says why.',
    announced: 'Confirm in Test Wallet. Review the transfer there and approve it.',
    wallet: { atomic: 'supported', lies: { wallet_sendCalls: hang } },
    async walk({ setServiceFields, pay }) {
      const manual = { payable_amount_units: 24_006_600, payment_uri: 'ethereum:…' }
      await setServiceFields({ amount_units: 24_006_600, manual })
      await pay()
    },
  },
  {
    ...requestedScreen,
    name: 'requested',
    about:
      'The page was loaded again while the wallet prompts: nothing requests the money once more.',
    async walk({ pay, reach, page, open }) {
      await pay()
      await reach('wallet', 'confirming')
      await page.reload()
      await open()
    },
  },
  {
    ...requestedScreen,
    name: 'requested-back',
    about: 'The payer has gone back while the wallet prompts.',
    async walk({ pay, reach, page }) {
      await pay()
      await reach('wallet', 'confirming')
      await page.locator('.quiet').click()
    },
  },
  {
    ...atWallets,
    name: 'pay-sure',
    about:
      'The payer is sure that nothing was sent; every way to pay says that a wallet got a request.',
    announced:
      'Pay Hollow Hill. A wallet already has a request and may still pay. If it still shows the request, decline it there. 24.00 USDC on Base Sepolia',
    kind: 'passing',
    wallet: pendingTransfer,
    async walk({ pay, reach, page }) {
      await pay()
      await reach('wallet', 'confirming')
      await page.locator('.quiet').click()
      await reach('requested')
      await page.locator('.quiet').click()
    },
  },
  {
    name: 'leaving-requested',
    about:
      'The payer closes while the wallet prompts: the checkout says what an approval would do.',
    screen: 'leaving',
    heading: 'Your wallet is waiting for you',
    announced:
      'Your wallet is waiting for you. If you approve there, the payment continues without this window.',
    kind: 'passing',
    wallet: pendingTransfer,
    async walk({ pay, reach, page }) {
      await pay()
      await reach('wallet', 'confirming')
      await page.locator('.close').click()
    },
  },
  {
    ...problem('user_rejected'),
    name: 'problem-declined',
    about: 'The payer declined in the wallet.',
    heading: 'You declined',
    announced: 'You declined. Nothing was sent.',
    wallet: { decide: ({ method }) => (method === 'eth_sendTransaction' ? 'reject' : 'approve') },
  },
  {
    ...problem('wallet_unauthorized'),
    name: 'problem-no-account',
    about: 'The wallet shares no account with this page.',
    heading: 'No account shared',
    announced: 'No account shared. Allow one in your wallet, then try again.',
    wallet: { lies: { eth_sendTransaction: refuse(4100, 'Not authorised.') } },
  },
  {
    ...problem('method_unsupported'),
    name: 'problem-unsupported',
    about: 'The wallet lacks a method that is needed.',
    heading: 'This wallet cannot pay here',
    announced:
      'This wallet cannot pay here. It lacks something that this payment needs. Use another wallet.',
    wallet: { lies: { eth_sendTransaction: refuse(4200, 'Not supported.') } },
  },
  {
    ...problem('wallet_disconnected'),
    name: 'problem-disconnected',
    about: 'The wallet is cut off from its network.',
    heading: 'Your wallet is disconnected',
    announced: 'Your wallet is disconnected. Check that it is online, then try again.',
    wallet: { lies: { eth_requestAccounts: refuse(4900, 'Disconnected.') } },
  },
  {
    ...problem('wrong_chain'),
    name: 'problem-network',
    about: 'The wallet says that it has switched, and has not.',
    heading: 'Your wallet is on another network',
    announced:
      'Your wallet is on another network. This payment is on Base Sepolia. Switch in your wallet, then try again.',
    wallet: { ...elsewhere, lies: { wallet_switchEthereumChain: respondWith(null) } },
  },
  {
    ...problem('chain_add_failed'),
    name: 'problem-network-not-added',
    about: 'The wallet does not know the network and will not learn it.',
    heading: 'The network could not be added',
    announced:
      'The network could not be added. This payment is on Base Sepolia. Add it in your wallet, then try again.',
    wallet: { ...elsewhere, lies: { wallet_addEthereumChain: refuse(-32603, 'Internal error.') } },
  },
  {
    ...problem('insufficient_token'),
    name: 'problem-too-little-usdc',
    about: 'The account holds too little USDC; the screen says how much is missing.',
    heading: 'Not enough USDC',
    announced:
      'Not enough USDC. 4.00 USDC more is needed on Base Sepolia. Add it to this account, or use another one.',
    holds: { usdc: 20_000_000n },
    mend: ({ world, account }) => world.fund(account, { usdc: 30_000_000n, eth: 10n ** 18n }),
  },
  {
    ...problem('insufficient_gas'),
    name: 'problem-too-little-gas',
    about: 'The account cannot pay the fee of the network.',
    heading: 'Not enough for the network fee',
    announced:
      'Not enough for the network fee. The fee on Base Sepolia is paid in ETH. Add a little to this account, or use another one.',
    holds: { eth: 0n },
    mend: ({ world, account }) => world.fund(account, { usdc: 30_000_000n, eth: 10n ** 18n }),
  },
  {
    ...problem('address_blocked'),
    name: 'problem-blocked',
    about: 'The token refuses transfers from this account.',
    heading: 'This account cannot send USDC',
    announced: 'This account cannot send USDC. Use another account.',
    chain: 'by hand',
    async walk({ world, account, pay }) {
      await world.commandToken('blacklist(address)', account)
      await pay()
    },
    mend: ({ world, account }) => world.commandToken('unBlacklist(address)', account),
  },
  {
    ...problem('token_paused'),
    name: 'problem-paused',
    about: 'The issuer has paused the token.',
    heading: 'USDC is paused on this network',
    announced: 'USDC is paused on this network. Nobody can send it now. Try again later.',
    chain: 'by hand',
    async walk({ world, pay }) {
      await world.commandToken('pause()')
      await pay()
    },
    mend: ({ world }) => world.commandToken('unpause()'),
  },
  {
    ...problem('address_blocked'),
    name: 'problem-shop-blocked',
    about:
      'The token refuses transfers to the shop: no wallet gets a request, and the payer learns whose fault it is.',
    detail: 'recipient_blocked',
    heading: 'The shop’s address is blocked',
    announced:
      'The shop’s address is blocked. The issuer of USDC has blocked it, so nobody can pay there. Nothing was sent. Tell Hollow Hill.',
    kind: 'end',
    chain: 'by hand',
    async walk({ world, recipient, pay }) {
      await world.commandToken('blacklist(address)', recipient)
      await pay()
    },
    mend: ({ world, recipient }) => world.commandToken('unBlacklist(address)', recipient),
  },
  {
    ...problem('tx_reverted'),
    name: 'problem-would-revert',
    about:
      'The exact transfer was simulated and would revert: the payer learns it before it costs a fee.',
    detail: 'tx_would_revert',
    heading: 'The network would refuse this payment',
    announced:
      'The network would refuse this payment. Nothing was sent. Use another account, or pay another way.',
    wallet: { lies: { [transfer]: refuse(3, 'execution reverted') } },
  },
  {
    ...problem('network_error'),
    name: 'problem-network-silent',
    about: 'The wallet’s network has not responded for fifteen seconds.',
    heading: 'The network is not responding',
    announced:
      'The network is not responding. Nothing was sent. Check the connection and try again.',
    wallet: { lies: { [balanceOf]: hang } },
    async walk({ pay, reach, holdClock, pass }) {
      await holdClock()
      await pay()
      await reach('wallet', 'checking')
      await pass(16)
    },
  },
  {
    ...problem('internal_error'),
    name: 'problem-other',
    about: 'The wallet fails with an unknown error, and may have sent the payment.',
    heading: 'That did not work',
    announced:
      'That did not work. Look in your wallet before you pay again: if it was sent, it still counts.',
    kind: 'held',
    wallet: { lies: { eth_sendTransaction: refuse(-32603, 'Internal JSON-RPC error.') } },
  },
  {
    ...problem('request_pending'),
    name: 'problem-already-asking',
    about: 'An earlier request waits in the wallet, and may be this payment.',
    heading: 'Your wallet already has a request',
    announced:
      'Your wallet already has a request. Look in your wallet before you pay again: if it was sent, it still counts.',
    kind: 'held',
    wallet: { lies: { eth_sendTransaction: refuse(-32002, 'Already processing.') } },
  },
  {
    ...problem('request_pending'),
    name: 'problem-other-tab',
    about: 'The payer is paying in another tab.',
    detail: 'other_tab',
    heading: 'You are paying in another tab',
    announced: 'You are paying in another tab. Go on there, or close that tab and try again.',
    async walk({ openTab, pay }) {
      await openTab()
      await pay()
    },
    mend: ({ closeTab }) => closeTab(),
  },
]
