import type { CheckoutErrorCode } from '../options.ts'

type Text = { title: string; text: string }

/** English. Other languages are files beside this one with the same keys. */
export const en = {
  dialog: (merchant: string) => `Pay ${merchant}`,
  close: 'Close',
  test: 'Test',
  timeLeft: (time: string) => `${time} left`,
  minutesLeft: (minutes: number) =>
    minutes === 1 ? 'Less than a minute left to pay.' : `Less than ${minutes} minutes left to pay.`,
  on: (network: string) => `on ${network}`,
  missing: (received: string) => `${received} has arrived. This is the rest.`,

  rails: 'Ways to pay',
  wallets: 'Wallet',
  qr: 'QR code',
  browserWallet: 'Browser wallet',
  direct: (merchant: string, address: string) => `Goes straight to ${merchant} at ${address}`,
  noWallet: {
    title: 'No wallet in this browser',
    text: 'Install one, or open this page in your wallet’s own browser.',
    find: 'Find a wallet',
  },

  qrContent: 'What the code holds',
  qrRequest: 'Payment request',
  qrAddress: 'Address only',
  qrAlt: { request: 'QR code of the payment request', address: 'QR code of the address' },
  qrHint: {
    request: 'Scan with a wallet. The amount is filled in.',
    address: 'Scan, then enter the amount yourself.',
  },
  openWallet: 'Open in a wallet app',
  amount: 'Amount',
  address: 'Address',
  copy: 'Copy',
  copyAmount: 'Copy the amount',
  copyAddress: 'Copy the address',
  copied: 'Copied',
  amountCopied: 'Amount copied.',
  addressCopied: 'Address copied.',
  exactly: (amount: string, network: string) =>
    `Send exactly ${amount} on ${network}. Another amount, token or network is not matched to this order.`,

  loading: 'Loading your payment',
  step: {
    connecting: (wallet: string): Text => ({
      title: `Connect ${wallet}`,
      text: 'Choose the account to pay from.',
    }),
    switching: (_wallet: string, network: string): Text => ({
      title: `Switch to ${network}`,
      text: 'Your wallet asks to change networks.',
    }),
    checking: (_wallet: string, network: string): Text => ({
      title: 'Checking your account',
      text: `Looking up the balance on ${network}.`,
    }),
    confirming: (wallet: string): Text => ({
      title: `Confirm in ${wallet}`,
      text: 'Review the transfer there and approve it.',
    }),
  },
  steps: (step: number, of: number) => `Step ${step} of ${of}`,
  back: 'Back',

  sent: {
    title: 'Payment sent',
    text: (network: string) => `Waiting for ${network} to pick it up. This takes a few seconds.`,
  },
  reorged: {
    title: 'Waiting once more',
    text: (network: string) =>
      `${network} has put the payment back in its queue. Do not pay twice: it usually comes through again.`,
  },
  confirming: {
    title: 'Payment seen',
    text: (done: number, of: number) => `${done} of ${of} confirmations`,
    note: 'You can close this window. The payment goes on.',
  },
  paid: {
    title: 'Paid',
    text: (amount: string, merchant: string) => `${amount} to ${merchant}`,
    again: 'It was paid already.',
    done: 'Done',
  },
  transaction: 'View transaction',

  leaving: {
    sent: {
      title: 'Your payment goes on',
      text: (merchant: string) => `It needs no window. ${merchant} is told when it has arrived.`,
    },
    asked: {
      title: 'Your wallet is still asking',
      text: (_merchant: string) => 'If you approve there, the payment goes on without this window.',
    },
    close: 'Close anyway',
    stay: 'Stay here',
  },

  expired: {
    title: 'This payment has expired',
    text: (merchant: string) => `Go back to ${merchant} and start the payment again.`,
    late: (merchant: string) =>
      `A payment was sent but did not arrive whole and in time. Do not pay again: ask ${merchant}.`,
  },
  canceled: {
    title: 'This payment was canceled',
    text: (merchant: string) => `${merchant} has canceled it. Nothing is owed here.`,
  },
  not_found: {
    title: 'Payment not found',
    text: (merchant: string) =>
      `The link is wrong or too old. Go back to ${merchant} and try again.`,
  },

  trouble: {
    offline: 'You are offline. Trying again …',
    unreachable: 'The payment service cannot be reached. Trying again …',
    rate_limited: 'The payment service is busy. Trying again …',
    faulty: 'The payment service has a problem. Trying again …',
  },

  retry: 'Try again',
  otherWay: 'Pay another way',
  payByQr: 'Pay with the QR code',
  problem: {
    user_rejected: {
      title: 'You declined',
      text: 'Nothing was sent.',
    },
    wallet_unauthorized: {
      title: 'No account shared',
      text: 'Allow one in your wallet, then try again.',
    },
    method_unsupported: {
      title: 'This wallet cannot pay here',
      text: 'It lacks something that is needed. Use another wallet.',
    },
    wallet_disconnected: {
      title: 'Your wallet is disconnected',
      text: 'Open it, check that it is online, then try again.',
    },
    wrong_chain: {
      title: 'Your wallet is on another network',
      text: 'Switch in your wallet, then try again.',
    },
    chain_add_failed: {
      title: 'The network could not be added',
      text: 'Add it in your wallet, then try again.',
    },
    request_pending: {
      title: 'Your wallet is already asking',
      text: 'Open it and answer the request that waits there.',
    },
    insufficient_token: {
      title: 'Not enough USDC',
      text: 'Add it to this account, or use another one.',
    },
    insufficient_gas: {
      title: 'Not enough for the network fee',
      text: 'Add a little to this account, or use another one.',
    },
    address_blocked: {
      title: 'This account cannot send USDC',
      text: 'Use another account.',
    },
    token_paused: {
      title: 'USDC is paused on this network',
      text: 'No one can send it now. Try again later.',
    },
    network_error: {
      title: 'The network does not answer',
      text: 'Nothing was sent. Check the connection and try again.',
    },
    other: {
      title: 'That did not work',
      text: 'The wallet answered with an error. Try again, or pay another way.',
    },
  } satisfies Partial<Record<CheckoutErrorCode | 'other', Text>>,
  short: (amount: string, network: string) => `${amount} more is needed on ${network}.`,
  gas: (symbol: string, network: string) => `The fee on ${network} is paid in ${symbol}.`,
  switchTo: (network: string) => `This payment is on ${network}.`,
}

export type Messages = typeof en
