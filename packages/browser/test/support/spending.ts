import type { BrowserContext, Page } from 'playwright-core'

/** Calls `spend` when a test makes an irreversible change, so that no other test gets the page. */
export function noteSpending(
  { context, page }: { context: BrowserContext; page: Page },
  spend: () => void,
): void {
  noteCalls(context, spend, 'addCookies', 'addInitScript', 'grantPermissions', 'newCDPSession')
  noteCalls(context, spend, 'exposeBinding', 'exposeFunction', 'route', 'setExtraHTTPHeaders')
  noteCalls(context, spend, 'setGeolocation', 'setOffline')
  noteCalls(context.clock, spend, 'install', 'pauseAt', 'setFixedTime')
  noteCalls(page, spend, 'addInitScript', 'exposeBinding', 'exposeFunction', 'on')
}

/** Calls `note` whenever one of these methods is called. */
export function noteCalls<Of extends object>(
  object: Of,
  note: () => void,
  ...methods: (keyof Of)[]
): void {
  for (const method of methods) {
    const original = object[method] as (...parameters: unknown[]) => unknown
    const noting = (...parameters: unknown[]) => {
      note()
      return original.apply(object, parameters)
    }
    Object.assign(object, { [method]: noting })
  }
}
