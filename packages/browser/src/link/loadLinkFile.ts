import { make } from '../shell/make.ts'
import type { mountLink } from './mountLink.tsx'

/** Written into the script once the file is built. */
const integrity = 'sha384-$LINK_FILE'

type LinkFile = { mountLink: typeof mountLink }

/**
 * Loads the step of a payment link, which most pages never need. Accepts only the file that was built with this script.
 *
 * @param src in the script's folder
 */
export function loadLinkFile(src: string, nonce = ''): Promise<LinkFile> {
  return new Promise((resolve, reject) => {
    const script = make('script', { src, integrity, nonce, crossorigin: '' })
    script.onload = () => {
      script.remove()
      // The file exports its function on its own script element.
      resolve(script as unknown as LinkFile)
    }
    script.onerror = reject
    document.head.append(script)
  })
}
