import {
  type Checkout,
  type OpenServiceModalOptions,
  openServiceModal,
  preload,
} from '@payment-intents/browser'
import {
  type SyntheticEvent,
  useCallback,
  useEffect,
  useInsertionEffect,
  useRef,
  useState,
} from 'react'

/** Options of `openServiceModal`; `clientSecret` may be passed here or, once fetched, to `open`. */
export type UseServiceModalOptions = Omit<OpenServiceModalOptions, 'clientSecret'> & {
  clientSecret?: string | undefined
}

/**
 * Progress of the payment of the last opening. It outlives the modal: a payment in `pending` goes on.
 *
 * - `idle`: never opened, or closed before anything was paid
 * - `open`: the checkout is shown
 * - `pending`: the payment was seen on chain
 * - `succeeded`: it is confirmed
 * - `failed`: an error that this checkout cannot recover from
 */
export type ServiceModalStatus = 'idle' | 'open' | 'pending' | 'succeeded' | 'failed'

export type ServiceModal = {
  /**
   * Opens the checkout. Without `clientSecret`, for instance with a click event, the option of the hook is used.
   * Does nothing if this payment is already open, or after the component has unmounted.
   */
  open: (options?: { clientSecret: string } | SyntheticEvent) => void
  /** Closes it; a payment that was sent goes on. */
  close: () => void
  isOpen: boolean
  status: ServiceModalStatus
  /** Spread them on the button that opens it: they load the checkout when the payer points at it or tabs to it. */
  preloadProps: { onPointerEnter: () => void; onFocus: () => void }
}

type Opening = { clientSecret: string; checkout?: Checkout }
type State = { isOpen: boolean; status: ServiceModalStatus }

/**
 * The checkout modal of one component, closed when it unmounts. Callbacks are those of the last render; `open` and
 * `close` never change.
 *
 * @throws TypeError from `open`, when there is no `clientSecret`
 * @example
 * ```tsx
 * import { useServiceModal } from '@payment-intents/react'
 *
 * export function PayButton({ clientSecret }: { clientSecret: string }) {
 *   const { open, preloadProps } = useServiceModal({
 *     clientSecret,
 *     merchantName: 'Kiosk',
 *     baseUrl: 'https://pay.example.com',
 *   })
 *   return <button {...preloadProps} onClick={open}>Pay</button>
 * }
 * ```
 */
export function useServiceModal(options: UseServiceModalOptions): ServiceModal {
  const [state, setState] = useState<State>({ isOpen: false, status: 'idle' })
  const latest = useRef(options)
  const gone = useRef(false)
  const hidden = useRef(false)
  // Invariant: the opening whose callbacks may change the state; null when none is open.
  const current = useRef<Opening | null>(null)

  // Runs before the other effects of a commit, so that they use the new callbacks.
  useInsertionEffect(() => {
    latest.current = options
  })
  // StrictMode's simulated unmount does not run insertion effects.
  useInsertionEffect(() => {
    gone.current = false
    return () => {
      gone.current = true
    }
  }, [])

  const close = useCallback(() => current.current?.checkout?.close(), [])

  const open = useCallback<ServiceModal['open']>((given) => {
    const isNamed = given && Object.hasOwn(given, 'clientSecret')
    const secret = own(isNamed ? (given as UseServiceModalOptions) : latest.current, 'clientSecret')
    const previous = current.current
    if (gone.current || (previous && previous.clientSecret === secret)) return
    // `openServiceModal` rejects an empty secret with an explanation.
    const opening: Opening = { clientSecret: secret ?? '' }
    const reached = (status: ServiceModalStatus) => {
      if (current.current === opening) setState({ isOpen: true, status })
    }
    const settle = () => {
      if (current.current !== opening) return
      current.current = null
      setState(({ status }) => ({ isOpen: false, status: status === 'open' ? 'idle' : status }))
    }
    // Set before the call: it closes the previous checkout, whose `onClose` may open another.
    current.current = opening
    try {
      opening.checkout = openServiceModal({
        ...latest.current,
        // So that it warns of a name that it does not know. An event has a target.
        ...(given && !('target' in given) && given),
        clientSecret: opening.clientSecret,
        onPending(payment) {
          reached('pending')
          own(latest.current, 'onPending')?.(payment)
        },
        onSuccess(payment) {
          reached('succeeded')
          own(latest.current, 'onSuccess')?.(payment)
        },
        onError(error) {
          if (!error.recoverable) reached('failed')
          own(latest.current, 'onError')?.(error)
        },
        onClose() {
          settle()
          own(latest.current, 'onClose')?.()
        },
      })
    } catch (error) {
      current.current = previous
      throw error
    }
    reached('open')
    // If another component opened this checkout, only that component gets its callbacks.
    opening.checkout.closed.then(settle)
  }, [])

  useEffect(() => {
    hidden.current = false
    return () => {
      hidden.current = true
      if (gone.current) close()
      // StrictMode simulates hiding, and shows again before anything else runs.
      else queueMicrotask(() => hidden.current && close())
    }
  }, [close])

  return { open, close, preloadProps, ...state }
}

const load = () => preload()
const preloadProps = { onPointerEnter: load, onFocus: load }

/** Reads an own option, as `openServiceModal` does; inherited ones are ignored. */
function own<Name extends keyof UseServiceModalOptions>(
  options: UseServiceModalOptions,
  name: Name,
): UseServiceModalOptions[Name] | undefined {
  return Object.hasOwn(options, name) ? options[name] : undefined
}
