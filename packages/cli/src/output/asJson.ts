import type { News } from '../listen/news.ts'

/** Formats news as one line of JSON, with fields named as in the HTTP API. */
export function asJson(news: News): string {
  return jsonLine(present(news))
}

export function jsonLine(value: object): string {
  // JSON leaves these unescaped, and some terminals interpret them.
  return JSON.stringify(value).replace(
    /\p{Cc}/gu,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function present(news: News): Record<string, unknown> {
  const { kind } = news
  switch (news.kind) {
    case 'ready': {
      const { to = null, secret = null } = news.forwarding ?? {}
      return { kind, base_url: news.baseUrl, forward_to: to, secret }
    }
    case 'event':
      return { kind, event: news.event }
    case 'delivery': {
      const { event, attempt, status = null, ms, problem = null, retryMs: retry_ms = null } = news
      return { kind, event: event.id, attempt, status, ms, problem, retry_ms }
    }
    case 'lost':
      return { kind, message: news.message }
    case 'regained':
      return { kind }
    case 'stopped':
      return { kind, last_event: news.last ?? null }
  }
}
