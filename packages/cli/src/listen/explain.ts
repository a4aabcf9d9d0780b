import type { Outcome } from './forward.ts'

/** Why a delivery failed and what to do; undefined if it succeeded. */
export function explain(outcome: Outcome, target: URL): string | undefined {
  if (outcome.type === 'timed_out') {
    return 'your handler sent no response within 15 s, the limit of the service: respond first, and do slow work later'
  }
  if (outcome.type === 'failed') return explainFailure(outcome.code, target)
  const { status, location, text } = outcome
  if (status >= 200 && status <= 299) return undefined
  if (status >= 300 && status <= 399) {
    return `your handler redirects${location === undefined ? '' : ` to ${location}`}, which the service does not follow: set --forward-to to the final address`
  }
  if (isOtherSecret(text)) return `your handler has another secret: ${howToSet}`
  const did = status >= 500 ? 'failed' : 'refused the event'
  return errorText(text) ?? hints[status] ?? `your handler ${did}: see its log`
}

function explainFailure(code: string, target: URL): string {
  const { origin, hostname } = target
  if (code === 'ECONNREFUSED') {
    return `nothing listens at ${origin}: start your server, or correct --forward-to`
  }
  if (/^(ENOTFOUND|EAI_)/.test(code))
    return `the host ${hostname} does not exist: correct --forward-to`
  if (/^(ECONNRESET|EPIPE)$/.test(code)) {
    return `${origin} closed the connection without a response: see its log`
  }
  if (/CERT|SIGNATURE/.test(code)) {
    return `the certificate of ${origin} is not trusted (${code}): name its issuer in NODE_EXTRA_CA_CERTS, or use http`
  }
  if (/EPROTO|SSL/.test(code)) return `${origin} speaks no TLS (${code}): use http in --forward-to`
  return `${origin} cannot be reached (${code}): correct --forward-to`
}

/** Advice when the handler verifies with another secret than `listen` signs with. */
export const howToSet =
  'start the handler with PAYMENT_INTENTS_WEBHOOK_SECRET=$(npx payment-intents listen --print-secret)'

/** Matches the messages of `verifyWebhook` and of other Standard Webhooks libraries. */
function isOtherSecret(text: string): boolean {
  return /signatures? was(?: not)? made with|signature_mismatch|no matching signature/i.test(text)
}

const hints: Readonly<Record<number, string>> = {
  404: 'your handler has no such path: correct --forward-to',
  405: 'the path takes no POST: correct --forward-to',
  410: 'the service would disable this endpoint and send nothing more',
}

/** The readable part of a response: `message` or `error` of JSON, or the first line if it is not markup. */
function errorText(text: string): string | undefined {
  const [line = ''] = (messageIn(text) ?? text).trim().split('\n', 1)
  if (line === '' || line.startsWith('<')) return undefined
  return line.length > 300 ? `${line.slice(0, 299)}…` : line
}

function messageIn(text: string): string | undefined {
  try {
    const { message, error } = Object(JSON.parse(text))
    return [message, error].find((field) => typeof field === 'string')
  } catch {
    return undefined
  }
}
