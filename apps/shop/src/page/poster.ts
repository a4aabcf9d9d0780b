import { openServiceModal } from '@payment-intents/browser'
import { generate } from 'lean-qr'
import type { Poster } from '../findPoster.ts'
import { readChoices } from './choices.ts'
import { find, record } from './dom.ts'
import { shopLogo } from './shopLogo.ts'

const api = find<HTMLMetaElement>('meta[name=payment-intents-api]')
const pay = find<HTMLButtonElement>('#pay')
const page = find<HTMLAnchorElement>('#page')
const qr = find<HTMLImageElement>('#qr')

void show()

async function show(): Promise<void> {
  const poster = await readPoster()
  if (!poster) return say('The poster is not up yet. Please try again.')
  qr.src = generate(poster.url).toDataURL({ scale: 6 })
  qr.hidden = false
  page.href = poster.url
  page.hidden = false
  pay.disabled = false
  pay.addEventListener('click', () => openCheckout(poster))
  say(soldOf(poster))
}

function openCheckout({ payment_link: paymentLink }: Poster): void {
  openServiceModal({
    paymentLink,
    merchantName: 'Hollow Hill',
    baseUrl: api.content,
    appearance: { logo: shopLogo },
    ...readChoices(),
    onPending: (payment) => record('onPending', payment),
    async onSuccess(payment) {
      record('onSuccess', payment)
      const poster = await readPoster()
      if (poster) say(soldOf(poster))
    },
    onError: (error) => record('onError', error),
    onClose: () => record('onClose'),
  })
}

async function readPoster(): Promise<Poster | null> {
  const response = await fetch('/api/poster').catch(() => null)
  return response?.ok ? response.json() : null
}

function soldOf({ sold }: Poster): string {
  return sold === 0 ? 'None sold yet.' : `${sold} sold.`
}

function say(sentence: string): void {
  find('#sold').textContent = sentence
}
