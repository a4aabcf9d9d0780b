/**
 * Loads a file again whose import has failed. Chromium keeps the failure of an import until the page is reloaded, and
 * names the file: under another address it is loaded again.
 */
export function retryImport(error: Error) {
  const address = /module: (\S+)$/.exec(error.message)?.[1]
  if (!address) throw error
  return import(/* @vite-ignore */ /* webpackIgnore: true */ `${address}?${Date.now()}`)
}
