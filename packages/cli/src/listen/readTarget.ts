import { UsageError } from '../usageError.ts'

/** Reads `--forward-to`. Accepts an address without `http://`, as browsers do. @throws UsageError */
export function readTarget(value: string): URL {
  const text = value.includes('://') ? value : `http://${value}`
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw new UsageError(
      '--forward-to must be the address of your webhook handler, like http://localhost:3000/webhooks.',
    )
  }
  if (url.username || url.password) {
    throw new UsageError('--forward-to must hold no user and no password.')
  }
  return url
}
