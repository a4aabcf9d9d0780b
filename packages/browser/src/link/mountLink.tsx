import type { OpenServiceModalOptions } from '../checkoutOptions.ts'
import type { HostedPage } from '../hosted/hostedPage.ts'
import { linkMessages } from '../locales/linkMessages.ts'
import type { ModalParts } from '../modal.tsx'
import type { ServiceTransport } from '../service/post.ts'
import type { CheckoutLanguage } from '../view/checkoutLanguage.ts'
import { plain } from '../view/content/translator.ts'
import type { MountedDialog } from '../view/dialog/mountDialog.ts'
import { aroundLink } from './aroundLink.ts'
import { LinkApp } from './LinkApp.tsx'
import type { LinkView } from './LinkStep.tsx'
import css from './link.css?raw'
import type { LinkActions } from './linkActions.ts'
import { post } from './linkRequests.ts'
import { type LinkScreen, linkScreen } from './linkState.ts'
import { createLinkStore } from './linkStore.ts'
import { type SharedParts, setSharedParts, sharedParts } from './sharedParts.ts'
import { forgetVisitor } from './visitor.ts'

type Mount = (options: OpenServiceModalOptions, parts: ModalParts, page?: HostedPage) => void

/**
 * The checkout of a payment link: a step in which the payer makes the choices that the link leaves open, and the
 * checkout of the payment that a press on "Pay" creates.
 *
 * @returns a function that mounts it, as `mountModal` mounts the checkout of a payment intent
 */
export function mountLink(parts: SharedParts): Mount {
  setSharedParts(parts)
  return mount
}

function mount(options: OpenServiceModalOptions, parts: ModalParts, page?: HostedPage): void {
  const { baseUrl, merchant, paymentLink = '', wallets = [] } = options
  const [id = paymentLink] = /plink_\w+/.exec(paymentLink) ?? []
  const { shell, signal, close } = parts
  if (signal.aborted) return
  sharedParts.checkLook(options)
  shell.mountStyles(shell.host.shadowRoot as ShadowRoot, css)
  const messages = { ...page?.messages, ...linkMessages }
  let callbacks: Pick<ModalParts, 'onSuccess' | 'onPending' | 'onError'> = parts
  // Invariant: aborting it ends the current view, the step or the checkout of a payment.
  let shown = new AbortController()
  signal.addEventListener('abort', () => shown.abort())
  let step: { dialog: MountedDialog; language: CheckoutLanguage } | null = null

  const link = createLinkStore({
    ...{ baseUrl, id, merchant, wallets, signal },
    tag: () => shell.host.lang,
    onChange: draw,
    onPayment: (clientSecret) => void openPayment(clientSecret),
  })
  const choice = () => {
    const { networks = [], amount_units: fixed } = link.read().link ?? {}
    if (fixed === null) return networks.length > 1 ? 'both' : 'amount'
    return networks.length > 1 ? 'network' : null
  }
  const actions: LinkActions = {
    type: ({ target }) => link.change({ typed: (target as HTMLInputElement).value, refusal: null }),
    enter: ({ key }) => void (key === 'Enter' && link.pay()),
    choose: (chain) => link.change({ chain, refusal: null }),
    pay() {
      void link.pay()
      const { isChecked, isPaying } = link.read()
      // The field shows the amount's problem.
      if (isChecked && !isPaying) shell.host.shadowRoot?.querySelector('input')?.focus()
    },
    retry: link.retry,
  }
  const around = aroundLink({
    ...{ link, messages, choice, change: openStep },
    startNext() {
      forgetVisitor(id)
      callbacks = parts.callbacks()
      link.change({ typed: '', isChecked: false })
      openStep()
    },
  })

  void openStep()

  async function openStep() {
    shown.abort()
    shown = new AbortController()
    const { signal: until } = shown
    if (signal.aborted) return shown.abort()
    const { link: linkBefore } = link.read()
    const isOpen = linkBefore?.status === 'open'
    link.change({ isPaying: false, refusal: null, link: isOpen ? linkBefore : null })
    const linkParts = { ...parts, signal: until }
    const labels = { __proto__: null, ...options.appearance?.labels } as object
    const dialog = sharedParts.mountDialog({
      ...{ shell, signal: until },
      onCloseRequest: () => !page && dialog.leave(close),
    })
    step = {
      dialog,
      language: sharedParts.createCheckoutLanguage({
        parts: linkParts,
        baseUrl,
        more: messages,
        labels,
        draw,
      }),
    }
    const clock = setInterval(() => (dialog.isRemoved() ? close() : draw()), 1000)
    until.addEventListener('abort', () => clearInterval(clock))
    draw()
    if (!isOpen) await link.resolve('payment')
    if (step?.dialog === dialog) link.findBalances(until)
  }

  function draw() {
    if (!step || shown.signal.aborted) return
    const { dialog } = step
    const language = step.language.read()
    const state = link.read()
    const next = linkScreen(state, shell.host.lang)
    const registered = plain(state.link?.merchant_name ?? '')
    const called = page ? '' : plain(options.merchantName)
    const name = registered || called
    const view: LinkView = {
      ...language,
      ...{ state, actions, page, merchant: name },
      called: called === name ? '' : called,
      theme: shell.theme(),
      logo: options.appearance?.logo,
      now: Date.now(),
    }
    dialog.draw(LinkApp({ view, shown: next, close: () => dialog.leave(close) }), null)
    page?.stepDrawn?.(view.t('dialog', { merchant: name }), state.link, next.name !== 'loading')
    report(next)
  }

  function report(next: LinkScreen) {
    if (next.name === 'closed') {
      const code = {
        inactive: 'canceled',
        used_up: 'canceled',
        expired: 'expired',
        not_found: 'not_found',
      }
      callbacks.onError(sharedParts.checkoutError(`intent_${code[next.why]}` as 'intent_expired'))
    }
    const { outage } = link.read()
    if (outage && outage.tries >= triesBeforeError) {
      callbacks.onError(
        sharedParts.checkoutError(
          outage.cause === 'rate_limited' ? 'rate_limited' : 'network_error',
        ),
      )
    }
  }

  /**
   * The checkout begins with the response to its first request. Until then, the step keeps its drawing: this payment may have closed the
   * link.
   */
  async function openPayment(clientSecret: string) {
    step = null
    page?.stepDrawn?.('', link.read().link, false)
    const { signal: until } = shown
    const send: ServiceTransport = (operation, request, until) =>
      post(
        `${baseUrl}/v1/payment_intents/${operation}`,
        { client_secret: clientSecret, ...request },
        until,
      )
    const early = new AbortController()
    const abort = () => early.abort()
    signal.addEventListener('abort', abort)
    let first: Promise<Response> | null = send('resolve', {}, early.signal)
    await first.catch(() => {})
    if (until.aborted) return
    shown.abort()
    shown = new AbortController()
    const serviceTransport: ServiceTransport = (operation, request, signal) => {
      const response = operation === 'resolve' && first
      first = null
      if (!response) return send(operation, request, signal)
      signal.addEventListener('abort', abort)
      return response
    }
    const result = Object.assign(Object.create(null), options, { clientSecret })
    sharedParts.mountModal(
      result,
      { ...parts, ...callbacks, serviceTransport, around, signal: shown.signal },
      page,
    )
  }
}

/** Requests that fail in a row before the page gets an error. */
const triesBeforeError = 3
