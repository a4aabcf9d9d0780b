import type { TypedData } from '@payment-intents/testing/wallet'
import { formatUsdc } from '../formatUsdc.ts'
import { consentStyles } from './consentStyles.ts'
import { icon } from './icon.ts'
import type { SignedTransfer } from './readAuthorization.ts'
import type { Meaning } from './readMeaning.ts'

export type ConsentRequest = {
  readonly account: string
  readonly accountIndex: number
} & (
  | { readonly kind: 'connect' }
  | {
      readonly kind: 'send'
      /** The called contract. */
      readonly to: string
      readonly meaning: Meaning
      /** Name of the chain. */
      readonly network: string
    }
  | {
      readonly kind: 'sign'
      /** The payment that the message makes; null for any other message. */
      readonly authorization: SignedTransfer | null
      readonly typedData: TypedData
      readonly network: string
    }
)

/** The test USDC of the development chains, at the official addresses of Base Sepolia and Polygon Amoy. */
const usdc = [
  '0x036cbd53842c5426634e7929541ec2318f3dcf7e',
  '0x41e94eb019c0762f9bfcf9fb1e58725bfb0e7582',
]

/**
 * Prompts the payer in a modal dialog: opened after the checkout's, it is above it, while the rest of the page is
 * inert.
 */
export function promptConsent(
  wallet: string,
  request: ConsentRequest,
): Promise<'approved' | 'rejected'> {
  const host = document.createElement('demo-wallet')
  const root = host.attachShadow({ mode: 'open' })
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(consentStyles)
  root.adoptedStyleSheets = [sheet]

  const approve = element(
    'button',
    { class: 'approve', type: 'submit', value: 'approved' },
    'Approve',
  )
  const reject = element('button', { type: 'submit', value: 'rejected' }, 'Reject')
  const dialog = element(
    'dialog',
    { 'aria-labelledby': 'wallet title', 'aria-describedby': 'stripe about' },
    element(
      'div',
      { class: 'head' },
      element('img', { src: icon, alt: '' }),
      element('strong', { id: 'wallet' }, wallet),
      element('span', {}, `Account ${request.accountIndex}`),
    ),
    element('p', { id: 'stripe', class: 'stripe' }, 'Test money · worth nothing, safe to spend'),
    ...content(request),
    element('form', { method: 'dialog' }, reject, approve),
  )
  root.append(dialog)
  // Keys pressed here must not reach the page's listeners, such as those for Escape.
  host.addEventListener('keydown', (event) => event.stopPropagation())
  document.body.append(host)

  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      host.remove()
      resolve(dialog.returnValue === 'approved' ? 'approved' : 'rejected')
    })
    dialog.showModal()
  })
}

function content(request: ConsentRequest): Node[] {
  if (request.kind === 'connect') return connection(request.account)
  return request.kind === 'send' ? payment(request) : signature(request)
}

function signature(request: Extract<ConsentRequest, { kind: 'sign' }>): Node[] {
  const { authorization: paid, typedData } = request
  const common = [...row('From', request.account), ...row('Network', request.network)]
  if (!paid) {
    const fields = Object.entries(typedData.message).flatMap(([name, value]) => {
      return row(name, String(value))
    })
    return [
      title(`Sign a message for ${location.host}?`),
      element(
        'dl',
        { id: 'about' },
        ...row('Message', typedData.primaryType),
        ...fields,
        ...common,
      ),
    ]
  }
  const current = usdc.includes(paid.token.toLowerCase())
  const until = new Date(Number(paid.until) * 1000).toLocaleTimeString([], { timeStyle: 'short' })
  return [
    title(`Pay ${location.host} by signature`),
    element(
      'p',
      { id: 'about', class: 'amount' },
      current ? formatUsdc(paid.amount) : String(paid.amount),
    ),
    element(
      'dl',
      {},
      ...(current ? [] : row('Token', `${paid.token}, unknown to this wallet`)),
      ...row('To', paid.recipient),
      ...common,
      ...row('Valid until', until),
      ...row('Network fee', 'none: somebody else submits it'),
      ...row('Reference', paid.nonce),
    ),
  ]
}

function connection(account: string): Node[] {
  return [
    title(`Connect to ${location.host}?`),
    element(
      'ul',
      { id: 'about' },
      element('li', {}, 'It sees your address and its balance'),
      element('li', {}, 'It can ask you to approve payments'),
      element('li', {}, 'It cannot move anything without you'),
    ),
    element('dl', {}, ...row('Your account', account)),
  ]
}

function payment(request: Extract<ConsentRequest, { kind: 'send' }>): Node[] {
  const { meaning, to } = request
  const common = [...row('From', request.account), ...row('Network', request.network)]
  if (meaning.kind === 'other')
    return [
      title(`Let ${location.host} call a contract?`),
      element(
        'dl',
        { id: 'about' },
        ...row('Contract', to),
        ...row('Sends', `${meaning.wei} wei`),
        ...common,
      ),
    ]
  const current = usdc.includes(to.toLowerCase())
  return [
    title(`Pay ${location.host}`),
    element(
      'p',
      { id: 'about', class: 'amount' },
      current ? formatUsdc(meaning.amount) : String(meaning.amount),
    ),
    element(
      'dl',
      {},
      ...(current ? [] : row('Token', `${to}, unknown to this wallet`)),
      ...row('To', meaning.recipient),
      ...common,
      ...(meaning.attached ? row('Reference', `0x${meaning.attached}`) : []),
    ),
  ]
}

function title(text: string): Node {
  return element('h2', { id: 'title', tabindex: '-1', autofocus: '' }, text)
}

function row(name: string, value: string): Node[] {
  const shown = value.replace(/^(0x[0-9a-f]{8})[0-9a-f]{48,}([0-9a-f]{8})$/i, '$1…$2')
  const code = value.startsWith('0x') ? { class: 'code', title: value } : {}
  return [element('dt', {}, name), element('dd', code, shown)]
}

function element<tag extends keyof HTMLElementTagNameMap>(
  tag: tag,
  attributes: Record<string, string>,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[tag] {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...children)
  return made
}
