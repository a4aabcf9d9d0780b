import type { ModalParts } from '../modal.tsx'
import type { OpenServiceModalOptions } from '../options.ts'

type Callbacks = Pick<ModalParts, 'onSuccess' | 'onPending' | 'onError'>

/**
 * The page's callbacks for another payment of a link in the same opening: each is called at most once for each payment.
 */
export function callbacksOf({ once }: ModalParts, page: OpenServiceModalOptions): Callbacks {
  return {
    onSuccess: once(page.onSuccess),
    onPending: once(page.onPending),
    onError: once(page.onError),
  }
}
