import { sleep } from '../lib/sleep.ts'
import { warnOfUnknown } from '../lib/warnOfUnknown.ts'
import { mountModal } from '../modal.tsx'
import styles from '../view/manualParts.css?raw'
import { GetUsdc } from '../view/panels/GetUsdc.tsx'
import { NoWallet } from '../view/panels/NoWallet.tsx'
import { QrPanel } from '../view/panels/QrPanel.tsx'
import { type Loaders, messagesTimeoutMs } from './openWith.ts'

/** For the builds that are one script: it contains everything but the messages. */
export const bundledLoaders: Loaders = {
  // Wait for the frame of the shell: otherwise the payer sees nothing until the whole modal is drawn.
  modal: () =>
    new Promise((resolve) => {
      const loaded = () => resolve({ mountModal })
      // Intersections are reported once a frame is drawn; a hidden page draws no frame.
      if (document.hidden) loaded()
      else {
        new IntersectionObserver((_, observer) => {
          observer.disconnect()
          loaded()
        }).observe(document.body)
      }
    }),
  async manualParts(baseUrl, signal) {
    // A payment is possible without these messages.
    const messages = await Promise.race([
      bundledLoaders.messages('en', baseUrl, signal).catch(() => null),
      sleep(messagesTimeoutMs, signal),
    ])
    return { GetUsdc, NoWallet, QrPanel, warnOfUnknown, styles, messages: messages ?? null }
  },
  // Messages are data: a page that pins the script's hash runs no other code.
  async messages(language, baseUrl, signal) {
    const response = await fetch(`${baseUrl}/v1/locales/${language}.json`, {
      referrerPolicy: 'no-referrer',
      signal,
    })
    return response.ok ? response.json() : null
  },
}
