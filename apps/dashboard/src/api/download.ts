import { queryOf } from './api.ts'
import { ApiError } from './apiError.ts'
import { currentMode } from './mode.ts'

/**
 * Saves a response as a file. A link cannot: it sends no header with the mode. The browser keeps a large response on disk.
 *
 * @throws {ApiError}
 */
export async function download(path: string, params: Readonly<Record<string, unknown>>) {
  const headers = { 'payment-intents-mode': currentMode() }
  const response = await fetch(path + queryOf(params), { headers }).catch(() => null)
  if (!response?.ok) throw new ApiError(response?.status ?? 0, (await response?.json()) ?? {})
  const file = await response.blob()
  const [, name = 'export.csv'] =
    /filename="?([\w.-]+)/.exec(response.headers.get('content-disposition') ?? '') ?? []
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
