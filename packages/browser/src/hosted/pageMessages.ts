/** English messages of the hosted page only; the locale files hold the other languages. */
export const pageMessages = {
  'no_link.title': 'Open your payment link again',
  'no_link.text': 'This page does not keep the link. Anything you have sent still counts.',
  'used_link.title': 'This link has been used',
  'used_link.text':
    'It opens once, within a few minutes. Go back to where you found it: there is a new one. Anything you have sent still counts.',
  'page.note': 'You can close this page. The payment continues.',
  'paid.leave': 'You can close this page.',
  'return.to': 'Back to {merchant}',
  'return.soon': 'You will be taken back in a moment.',
}
