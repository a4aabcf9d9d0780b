import type { WebhookAttempt } from '@payment-intents/contract'
import { texts } from '../texts.ts'
import { Foreign } from './values/Foreign.tsx'

/** The most characters shown of a response. */
const most = 200

/** A webhook endpoint's response to an attempt, or the error without a response. */
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
