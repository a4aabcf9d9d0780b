/**
 * Loads the modal's own file; once loaded, a call loads nothing. Chromium keeps the failure of an import until the page
 * is reloaded, and names the file: under another address it is loaded again.
 */
export function loadModal(): Promise<typeof import('./modal.tsx')> {
  return import('./modal.tsx').catch((error) => {
    const [, address] = /module: (\S+)$/.exec(error) ?? []
    if (!address) throw error
    return import(/* @vite-ignore */ /* webpackIgnore: true */ `${address}?${Date.now()}`)
  })
}
