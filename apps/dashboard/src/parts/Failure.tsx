import { isApiError } from '../api/apiError.ts'
import { texts } from '../texts.ts'

/** An error and what to do. */
export function Failure({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  return (
    <div className="note bad row" role="alert">
      <span>{messageOf(error)}</span>
      {onRetry && (
        <button type="button" onClick={onRetry}>
          {texts.retry}
        </button>
      )}
    </div>
  )
}

export function messageOf(error: unknown): string {
  if (!isApiError(error)) return texts.failed
  if (error.code === 'forbidden') return texts.forbidden
  return error.message || texts.failed
}
