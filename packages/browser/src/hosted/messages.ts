/** English messages of the hosted page alone; other languages have them beside the checkout's. */
export const pageMessages = {
  'no_link.title': 'Open your payment link again',
  'no_link.text': 'This page keeps no link. What you have sent counts all the same.',
  'used_link.title': 'This link has been used',
  'used_link.text':
    'It opens once, within a few minutes. Go back to where you found it: there is a new one. What you have sent counts all the same.',
  'page.note': 'You can close this page. The payment goes on.',
  'paid.leave': 'You can close this page.',
  'return.to': 'Back to {merchant}',
  'return.soon': 'You will be taken back in a moment.',
}
