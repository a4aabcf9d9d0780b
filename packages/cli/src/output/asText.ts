import { type Event, usdcDecimals } from '@payment-intents/contract'
import { howToSet } from '../listen/explain.ts'
import type { News } from '../listen/news.ts'
import { plain } from './plain.ts'

type Look = {
  /** Whether to use ANSI colours. */
  readonly colors: boolean
  /** Whether single keys are read. */
  readonly keys: boolean
}

type Color = 'bold' | 'dim' | 'red' | 'green' | 'yellow'

const codes: Readonly<Record<Color, number>> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 }

/** Formats news as one or more lines of text. Text from the network cannot move the cursor or change colours. */
export function asText(news: News, { colors, keys }: Look): string {
  const paint = (color: Color, text: string) =>
    colors ? `\x1b[${codes[color]}m${plain(text)}\x1b[0m` : plain(text)

  switch (news.kind) {
    case 'ready': {
      const lines = [`Listening to the events of ${plain(news.baseUrl)}.`]
      if (news.forwarding) {
        const { to, secret, environment } = news.forwarding
        lines.push(`They are posted to ${plain(to)}, signed with the secret`)
        if (environment === 'same') lines.push('that PAYMENT_INTENTS_WEBHOOK_SECRET is set to.')
        else {
          lines.push('', `  ${paint('bold', secret)}`, '')
          lines.push(
            'which stays the same for this API key. Set PAYMENT_INTENTS_WEBHOOK_SECRET to it',
          )
          lines.push('where you receive webhooks. It is not shown again.')
        }
        if (environment === 'other') lines.push(paint('yellow', otherSecret))
      }
      const resend = news.forwarding ? 'r sends the last event again, q quits.' : 'q quits.'
      return [...lines, ...(keys ? [resend] : []), ''].join('\n')
    }
    case 'event': {
      const { event } = news
      const { about, amount, remark } = factsOf(event)
      const parts = [paint('bold', event.type), plain(about), plain(amount), plain(remark)]
      const filled = parts.filter((part) => part !== '')
      return [paint('dim', timeOf(event.created_at)), ...filled, paint('dim', event.id)].join('  ')
    }
    case 'delivery': {
      const { attempt, event, ms, problem, retryMs, status } = news
      const id = paint('dim', event.id)
      const response = status === undefined ? '' : `${status} in ${ms} ms`
      if (problem === undefined) return `${margin}${paint('green', `→ ${response}`)}  ${id}`
      const outcome = [response, problem.replace(/\.$/, '')]
        .filter((text) => text !== '')
        .join(': ')
      return `${margin}${paint('red', `→ ${outcome}`)}; ${afterFailure(attempt, retryMs)}  ${id}`
    }
    case 'lost':
      return `${paint('yellow', news.message)} The command tries again every second.`
    case 'regained':
      return paint('yellow', 'The service responds again; the events since then follow.')
    case 'stopped':
      return news.last ? `To go on from here later: --since ${plain(news.last)}` : ''
  }
}

const otherSecret =
  'PAYMENT_INTENTS_WEBHOOK_SECRET is set to another secret here. A handler that is started with that secret refuses ' +
  `these events: ${howToSet}.`

const margin = ' '.repeat('2030-01-01 00:00:00  '.length)

function afterFailure(attempt: number, retryMs: number | undefined): string {
  if (retryMs !== undefined) return `again in ${retryMs / 1000} s`
  return attempt === 1 ? 'not tried again' : `given up after ${attempt} tries`
}

/** Local time. */
export function timeOf(iso: string): string {
  const at = new Date(iso)
  const two = (number: number) => String(number).padStart(2, '0')
  const date = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-')
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')
  return `${date} ${time}`
}

/** Works for any object, including types that a later server adds. */
function factsOf(event: Event): { about: string; amount: string; remark: string } {
  const object: Readonly<Record<string, unknown>> = event.data.object
  const { id, amount_units: amount, amount_received_units: received, metadata } = object
  const order = Object(metadata).order_id
  const named = typeof order === 'string' || typeof order === 'number'
  const reason = object.reason ?? object.disabled_reason ?? object.cause
  return {
    about: typeof id === 'string' ? id : '',
    amount: typeof amount === 'number' ? amountOf(amount, received, object) : '',
    remark: named ? `order ${order}` : typeof reason === 'string' ? reason : '',
  }
}

function amountOf(
  amount: number,
  received: unknown,
  { decimals, token_symbol: token = 'USDC' }: Readonly<Record<string, unknown>>,
): string {
  const write = (units: number) => decimal(units, isPlaces(decimals) ? decimals : usdcDecimals)
  const isPart = typeof received === 'number' && received !== 0 && received !== amount
  return `${isPart ? `${write(received)} of ` : ''}${write(amount)} ${token}`
}

/** No token has more; padding to an arbitrary number from an event could exhaust memory. */
function isPlaces(decimals: unknown): decimals is number {
  return Number.isInteger(decimals) && Number(decimals) >= 0 && Number(decimals) <= 36
}

/** `25.00`; more than two decimals only if they are not zero. */
export function decimal(units: number, decimals: number): string {
  const digits = String(units).padStart(decimals + 1, '0')
  const integer = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return `${integer}.${fraction.padEnd(2, '0')}`
}
