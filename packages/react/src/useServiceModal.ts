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

/**
 * Options of `openServiceModal`; `clientSecret`, or `paymentLink` in its place, may be passed here or, once fetched, to
 * `open`.
 */
export type UseServiceModalOptions = Omit<
  OpenServiceModalOptions,
  'clientSecret' | 'paymentLink' | 'merchant'
> & {
  clientSecret?: string | undefined
  paymentLink?: string | undefined
  merchant?: string | undefined
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
   * Opens the checkout. Without `clientSecret` or `paymentLink`, for instance with a click event, the options of the hook
   * are used.
   * Does nothing if this payment is already open, or after the component has unmounted.
   */
  open: (options?: { clientSecret: string } | { paymentLink: string } | SyntheticEvent) => void
  /** Closes it; a payment that was sent goes on. */
  close: () => void
  isOpen: boolean
  status: ServiceModalStatus
  /** Spread them on the button that opens it: they load the checkout when the payer points at it or tabs to it. */
  preloadProps: { onPointerEnter: () => void; onFocus: () => void }
}

/** `of`: the client secret, or the payment link. */
type Opening = { of: string | undefined; checkout?: Checkout }
type State = { isOpen: boolean; status: ServiceModalStatus }

/**
 * The checkout modal of a component, closed when it unmounts. It calls the callbacks of the last render; `open` and
 * `close` never change.
 *
 * @throws TypeError from `open`, unless there is a `clientSecret` or a `paymentLink`
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
  const isUnmounted = useRef(false)
  const hidden = useRef(false)
  // Invariant: the opening whose callbacks may change the state; null when none is open.
  const current = useRef<Opening | null>(null)

  // Runs before the other effects of a commit, so that they use the new callbacks.
  useInsertionEffect(() => {
    latest.current = options
  })
  // StrictMode's simulated unmount does not run insertion effects.
  useInsertionEffect(() => {
    isUnmounted.current = false
    return () => {
      isUnmounted.current = true
    }
  }, [])

  const close = useCallback(() => current.current?.checkout?.close(), [])

  const open = useCallback<ServiceModal['open']>((openOptions) => {
    const payable = payableOf(openOptions) ?? payableOf(latest.current)
    const previous = current.current
    const opening: Opening = { of: payable?.clientSecret ?? payable?.paymentLink }
    if (isUnmounted.current || (previous && previous.of === opening.of)) return
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
      // Passes the argument of `open`, so that an unknown name in it causes a warning; an event has a target. Without a payment in
      // the options, the call throws an error that names the missing option.
      opening.checkout = openServiceModal({
        ...latest.current,
        ...(openOptions && !('target' in openOptions) && openOptions),
        ...payable,
        onPending(payment) {
          reached('pending')
          valueWithoutPrototype(latest.current, 'onPending')?.(payment)
        },
        onSuccess(payment) {
          reached('succeeded')
          valueWithoutPrototype(latest.current, 'onSuccess')?.(payment)
        },
        onError(error) {
          if (!error.recoverable) reached('failed')
          valueWithoutPrototype(latest.current, 'onError')?.(error)
        },
        onClose() {
          settle()
          valueWithoutPrototype(latest.current, 'onClose')?.()
        },
      } as OpenServiceModalOptions)
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
      if (isUnmounted.current) close()
      // StrictMode simulates hiding, and shows again before anything else runs.
      else queueMicrotask(() => hidden.current && close())
    }
  }, [close])

  return { open, close, preloadProps, ...state }
}

const load = () => preload()
const preloadProps = { onPointerEnter: load, onFocus: load }

/** The options that identify the payment; null if there are none. */
function payableOf(options: object | undefined) {
  const { clientSecret, paymentLink }: UseServiceModalOptions = {
    __proto__: null,
    ...options,
  } as never
  return (clientSecret ?? paymentLink) === undefined ? null : { clientSecret, paymentLink }
}

/** Reads an own option, as `openServiceModal` does; inherited options are ignored. */
function valueWithoutPrototype<Name extends keyof UseServiceModalOptions>(
  options: UseServiceModalOptions,
  name: Name,
): UseServiceModalOptions[Name] | undefined {
  return Object.hasOwn(options, name) ? options[name] : undefined
}
