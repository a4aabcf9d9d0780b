const en = {
  title: 'Refund',
  headline: '{merchant} refunds you',
  on: 'on {network}',
  where: 'Where should the refund go?',
  sign: 'Sign with {wallet}',
  wallet: 'browser wallet',
  free: 'Choose the wallet that you paid with. You sign a message: it costs nothing and moves nothing.',
  no_wallet:
    'No wallet was found in this browser. Open this link in the browser of your wallet app, or enter an address.',
  other: 'Use another address',
  address: 'Your address on {network}',
  exchange:
    'An exchange credits a deposit only of USDC on {network}. Check that your deposit address takes it: money sent to a wrong address is lost.',
  use: 'Use this address',
  malformed: 'An address has 0x and 40 more characters.',
  unusable: 'The refund cannot go to this address. Check every character, or use another one.',
  opening: 'Continue in {wallet}.',
  open: '{wallet} already shows a request. Open it and answer there.',
  declined: 'You declined the request. Nothing has changed.',
  unsigned:
    '{wallet} did not sign. You can use its address without a signature; {merchant} then checks it first.',
  back: 'Back',
  claimed: '{merchant} checks this address before the refund is paid.',
  fixed: 'The address is set. {merchant} pays the refund next.',
  pending: 'The refund is on its way.',
  confirmations: '{done} of {total} confirmations',
  succeeded: 'Refunded',
  canceled: '{merchant} has canceled this refund.',
  unknown: 'This link does not open a refund. Ask the shop for a new link.',
  offline: 'No connection. This page tries again by itself.',
  failed: 'That did not work. Try again.',
  return: 'You can close this page and return by the same link.',
  to: 'To',
  transaction: 'Transaction',
  contact: 'Contact {merchant}',
}

export type Messages = typeof en

/** The page of a refund's payer in every language of the checkout. */
export const messages: { readonly en: Messages; readonly [language: string]: Messages } = {
  en,
}
