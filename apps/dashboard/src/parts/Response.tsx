import type { WebhookAttempt } from '@payment-intents/contract'
import { texts } from '../texts.ts'
import { Foreign } from './values/Foreign.tsx'

/** The most characters of a response that are shown. */
const most = 200

/** The response of a webhook endpoint to an attempt, or why there was none. */
export function Response({ attempt }: { attempt: WebhookAttempt }) {
  const { response_status: status, response_body: body, error } = attempt
  return (
    <>
      <span className={`badge ${status !== null && status < 300 ? 'good' : 'bad'}`}>
        {status ?? texts.developers.endpoints.noResponse}
      </span>{' '}
      <span className="mono">{error ?? <Foreign text={body?.slice(0, most) ?? ''} />}</span>
    </>
  )
}
