import { make } from '../shell/make.ts'
import type { mountLink } from './mountLink.tsx'

/** Written into the script once the file is built. */
const integrity = 'sha384-$LINK_FILE'

/**
 * Loads the step of a payment link, which most pages never open: the file that was built with this script, and no other.
 *
 * @param src beside the script
 */
export function loadLinkFile(src: string, nonce = ''): Promise<typeof mountLink> {
  return new Promise((resolve, reject) => {
    const script = make('script', { src, integrity, nonce, crossorigin: '' })
    script.onload = () => {
      script.remove()
      resolve((script as unknown as { mountLink: typeof mountLink }).mountLink)
    }
    script.onerror = reject
    document.head.append(script)
  })
}
