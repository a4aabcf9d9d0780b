/** English messages for a payer without USDC; the locale files hold the other languages. */
export const newcomerMessages = {
  'get.title': 'How to get USDC',
  'get.need': 'You need {amount} on {network}.',
  'get.app': 'Buy it in a wallet app',
  'get.app.text': 'By card or bank. About 10 minutes, usually 1 to 4% on top.',
  'get.exchange': 'Buy it at an exchange',
  'get.exchange.text':
    'Minutes with an account, up to some days with a new one. Often under 1%, and a fee to withdraw. You can pay this order straight from there.',
  'get.swap': 'Swap another coin for it',
  'get.swap.text':
    'In your wallet, also from another network. A few minutes, usually under 1% and a network fee.',
  'get.back': 'Then come back to this page. This order stays open until {time}.',
}
