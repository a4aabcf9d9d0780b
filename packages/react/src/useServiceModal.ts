import {
  type Checkout,
  type OpenServiceModalOptions,
  openServiceModal,
} from '@payment-intents/browser'
import {
  type SyntheticEvent,
  useCallback,
  useEffect,
  useInsertionEffect,
  useRef,
  useState,
} from 'react'

/** Those of `openServiceModal`; `clientSecret` may come here or, fetched on the click, with `open`. */
export type UseServiceModalOptions = Omit<OpenServiceModalOptions, 'clientSecret'> & {
  clientSecret?: string | undefined
}

/**
 * How far the payment of the last opening got. It outlives the modal: a payment in `pending` goes on.
 *
 * - `idle`: never opened, or closed before anything was paid
 * - `open`: the payer has the checkout before them
 * - `pending`: the payment was seen on chain
 * - `succeeded`: it is confirmed
 * - `failed`: an error that this checkout cannot recover from
 */
export type ServiceModalStatus = 'idle' | 'open' | 'pending' | 'succeeded' | 'failed'

export type ServiceModal = {
  /**
   * Opens the checkout. Without `clientSecret`, with a click event for instance, the option of the hook is used.
   * Does nothing while this payment is open already, or once the component is gone.
   */
  open: (options?: { clientSecret: string } | SyntheticEvent) => void
  /** Closes it; a payment that was sent goes on. */
  close: () => void
  isOpen: boolean
  status: ServiceModalStatus
}

type Opening = { clientSecret: string; checkout?: Checkout }
type State = { isOpen: boolean; status: ServiceModalStatus }

/**
 * The checkout modal of one component: closed when the component unmounts, callbacks always those of the last render.
 * `open` and `close` never change.
 *
 * @throws TypeError from `open`, when there is no `clientSecret`
 * @example
 * ```tsx
 * import { useServiceModal } from '@payment-intents/react'
 *
 * export function PayButton({ clientSecret }: { clientSecret: string }) {
 *   const { open } = useServiceModal({
 *     clientSecret,
 *     merchantName: 'Kiosk',
 *     baseUrl: 'https://pay.example.com',
 *   })
 *   return <button onClick={open}>Pay</button>
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

  // Before the other effects of a commit, so that none of them meets the previous callbacks.
  useInsertionEffect(() => {
    latest.current = options
  })
  // Unlike the others this kind of effect is left alone when StrictMode rehearses unmounting.
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
    // An empty secret is refused, with a sentence, by the function itself.
    const opening: Opening = { clientSecret: secret ?? '' }
    const reached = (status: ServiceModalStatus) => {
      if (current.current === opening) setState({ isOpen: true, status })
    }
    const settle = () => {
      if (current.current !== opening) return
      current.current = null
      setState(({ status }) => ({ isOpen: false, status: status === 'open' ? 'idle' : status }))
    }
    // Set before the call, which closes the previous checkout, whose `onClose` may open yet another.
    current.current = opening
    try {
      opening.checkout = openServiceModal({
        ...latest.current,
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
    // When another component has this checkout open, its callbacks are that component's.
    opening.checkout.closed.then(settle)
  }, [])

  useEffect(() => {
    hidden.current = false
    return () => {
      hidden.current = true
      if (gone.current) close()
      // StrictMode rehearses hiding, and shows again before anything else can happen.
      else queueMicrotask(() => hidden.current && close())
    }
  }, [close])

  return { open, close, ...state }
}

/** An option as `openServiceModal` reads it: nothing that the object inherits. */
function own<Name extends keyof UseServiceModalOptions>(
  options: UseServiceModalOptions,
  name: Name,
): UseServiceModalOptions[Name] | undefined {
  return Object.hasOwn(options, name) ? options[name] : undefined
}
