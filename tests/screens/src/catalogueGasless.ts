import { atWallets } from './cataloguePay.ts'
import type { Entry } from './entry.ts'
import { hang } from './scriptedWallet.ts'
import { type Alteration, alter, authorizePath, resolvePath } from './serviceFaults.ts'
import type { Walk } from './walk.ts'

const sign = 'eth_signTypedData_v4'
const signing = { wallet: { lies: { [sign]: hang } }, kind: 'passing' } as const
const onItsWay =
  'Your payment is on its way. Waiting for Base Sepolia to pick it up. Do not pay another way in the meantime.'

/** The stack's relayer has no gas, so that transfers are shown everywhere else: here it is as if it had. */
const offer: Alteration = (intent) => ({
  gasless: {
    fee_units: 0,
    domain: {
      ...{ name: 'USDC', version: '2' },
      ...{ chainId: intent.chain_id, verifyingContract: intent.token_address },
    },
    message: {
      ...{ to: intent.expected_wallet, value: String(intent.price_units), validAfter: '0' },
      validBefore: String(Math.floor(Date.parse(intent.expires_at) / 1000)),
      nonce: intent.payment_reference,
    },
  },
})

/** The service's response about an authorization of this payer. */
function newest({ account }: Walk, changes: object): Alteration {
  const authorization = { from: account, reason: null, tx_hash: null, valid_before: 0, ...changes }
  return (intent) => ({
    authorization: { ...authorization, valid_before: intent.expires_at },
    gasless: null,
  })
}

async function offered({ page }: Walk): Promise<void> {
  await page.route(resolvePath, alter(offer))
}

/** Payments by signature, which somebody else submits. */
export const gaslessScreens: readonly Entry[] = [
  {
    ...atWallets,
    name: 'pay-gasless',
    about: 'The payer signs and pays no network fee; the shop has said what the payment is for.',
    kind: 'passing',
    intent: { metadata: { description: 'Two stoneware mugs, speckled' } },
    async walk(walk) {
      await offered(walk)
      await walk.open()
    },
  },
  {
    ...atWallets,
    name: 'pay-refused',
    about: 'What the payer signed was given up before it was submitted: why, and the other ways.',
    announced: 'Pay Hollow Hill. Not enough USDC. Nothing was sent. 24.00 USDC on Base Sepolia',
    kind: 'payable',
    async walk(walk) {
      const refused = newest(walk, { status: 'refused', reason: 'insufficient_token' })
      await walk.page.route(resolvePath, alter(refused))
      await walk.open()
    },
  },
  {
    ...signing,
    name: 'wallet-signing',
    about: 'The wallet prompts for the signature.',
    screen: 'wallet',
    detail: 'confirming',
    heading: 'Confirm in Test Wallet',
    announced: 'Confirm in Test Wallet. Check the amount there and sign.',
    async walk(walk) {
      await offered(walk)
      await walk.pay()
    },
  },
  {
    ...signing,
    name: 'wallet-silent',
    about:
      'The wallet has said nothing for a minute: the payer may repeat the request, or choose a transfer.',
    screen: 'wallet',
    detail: 'confirming',
    heading: 'Confirm in Test Wallet',
    announced:
      'Confirm in Test Wallet. Check the amount there and sign. Nothing to see? Open your wallet: the request may be waiting there. Your browser may have blocked its window. Hardware wallets take a while.',
    async walk(walk) {
      await walk.holdClock()
      await offered(walk)
      await walk.pay()
      await walk.reach('wallet', 'confirming')
      await walk.pass(61)
    },
  },
  {
    ...signing,
    name: 'leaving-signing',
    about: 'The payer closes while the wallet prompts for the signature, which counts only here.',
    screen: 'leaving',
    heading: 'Not finished yet',
    announced:
      'Not finished yet. If you close now, the payment may not be made. Stay until it is on its way.',
    async walk(walk) {
      await offered(walk)
      await walk.pay()
      await walk.reach('wallet', 'confirming')
      await walk.page.locator('.close').click()
    },
  },
  {
    name: 'sent-signed',
    about: 'The payer has signed, and the service has not responded yet.',
    screen: 'sent',
    detail: 'signed',
    heading: 'Signed',
    announced: 'Signed. Your payment is being submitted. Keep this window open.',
    kind: 'held',
    async walk(walk) {
      await offered(walk)
      await walk.page.route(authorizePath, () => {})
      await walk.pay()
    },
  },
  {
    name: 'sent-relayed',
    about: 'The service has what the payer signed, and submits it: every other way is closed.',
    screen: 'sent',
    detail: 'relayed',
    heading: 'Your payment is on its way',
    announced: onItsWay,
    kind: 'held',
    async walk(walk) {
      await walk.page.route(resolvePath, alter(newest(walk, { status: 'in_flight' })))
      await walk.open()
    },
  },
  {
    name: 'problem-needs-fee',
    about: 'The service cannot submit it after all; a transfer takes one more press.',
    screen: 'problem',
    detail: 'needs_fee',
    heading: 'This needs a network fee',
    announced:
      'This needs a network fee. Nothing was paid. Try again: your wallet sends it, for a small fee.',
    code: 'internal_error',
    kind: 'payable',
    failsRequests: true,
    async walk(walk) {
      await offered(walk)
      const json = { error: 'conflict', reason: 'gasless_unavailable' }
      const headers = { 'access-control-allow-origin': '*' }
      await walk.page.route(authorizePath, (route) => route.fulfill({ status: 409, headers, json }))
      await walk.pay()
    },
  },
]
