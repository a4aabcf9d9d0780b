import { useServiceModal } from '@payment-intents/react'
import * as React from 'react'
import {
  Component,
  lazy,
  type ReactNode,
  StrictMode,
  Suspense,
  startTransition,
  useEffect,
  useState,
} from 'react'
import { createRoot } from 'react-dom/client'

// A shop of as many components as a test needs, in StrictMode.

type Part = { name: string; clientSecret: string; onMount?: boolean }

export type ShopPage = {
  callbackCalls: string[]
  walletMethods: string[]
  /** Renders these components and mounts new ones. */
  show: (parts: Part[]) => void
  /** Renders everything again, optionally as a transition, with new callbacks. */
  rerender: (transition?: boolean) => void
  /** Suspends every component; returns a function that resumes them. */
  suspend: () => () => void
  /** Hides everything, as a router does with a route it may return to; React 19. */
  hide: () => void
  /** `open` and `close` of every render, by component. */
  handles: Record<string, Set<unknown>>
  approveWallet: () => void
}

const callbackCalls: string[] = []
const walletMethods: string[] = []
const handles: Record<string, Set<unknown>> = {}
let approveWallet = () => {}
let renders = 0

const wallet = {
  name: 'Own',
  provider: {
    request({ method }: { method: string }) {
      walletMethods.push(method)
      return new Promise<unknown>((resolve) => {
        approveWallet = () => resolve([`0x${'22'.repeat(20)}`])
      })
    },
  },
}

function Pay({ name, clientSecret, onMount, render }: Part & { render: number }) {
  const record = (eventName: string) => () => {
    callbackCalls.push(`${name} ${eventName} ${render}`)
  }
  const { open, close, preloadProps, isOpen, status } = useServiceModal({
    clientSecret,
    merchantName: 'Kiosk',
    baseUrl: location.origin,
    wallets: [wallet],
    onPending: record('pending'),
    onSuccess: record('success'),
    onError: record('error'),
    onClose: record('close'),
  })
  handles[name] ??= new Set()
  handles[name].add(open).add(close)
  useEffect(() => {
    if (onMount) open()
  }, [onMount, open])
  return (
    <p>
      <button type="button" {...preloadProps} id={name} onClick={open}>
        {isOpen ? 'open' : 'closed'} {status}
      </button>
    </p>
  )
}

class Boundary extends Component<{ children: ReactNode }> {
  override componentDidCatch(error: Error) {
    callbackCalls.push(`error ${error.message}`)
  }
  override render() {
    return this.props.children
  }
}

const Empty = () => null

type Hideable = { mode: 'visible' | 'hidden'; children: ReactNode }

// React 18 has no `Activity`.
const { Activity = ({ children }: Hideable) => children } = React as {
  Activity?: (props: Hideable) => ReactNode
}

function Shop() {
  const [parts, setParts] = useState<Part[]>([])
  const [, setRender] = useState(0)
  const [mode, setMode] = useState<Hideable['mode']>('visible')
  const [Waiting, setWaiting] = useState<typeof Empty | null>(null)
  useEffect(() => {
    const page: ShopPage = {
      callbackCalls,
      walletMethods,
      handles,
      show: setParts,
      hide: () => setMode('hidden'),
      approveWallet: () => approveWallet(),
      rerender(transition = false) {
        const reopen = () => {
          renders += 1
          setRender(renders)
        }
        if (transition) startTransition(reopen)
        else reopen()
      },
      suspend() {
        let end = () => {}
        const ready = new Promise<{ default: typeof Empty }>((resolve) => {
          end = () => resolve({ default: Empty })
        })
        const Lazy = lazy(() => ready)
        setWaiting(() => Lazy as unknown as typeof Empty)
        return end
      },
    }
    Object.assign(window, { page })
  }, [])
  return (
    <Boundary>
      <Suspense fallback={<p id="fallback">Wait</p>}>
        <Activity mode={mode}>
          {parts.map((part) => (
            <Pay key={part.name} {...part} render={renders} />
          ))}
        </Activity>
        {Waiting && <Waiting />}
      </Suspense>
    </Boundary>
  )
}

const root = document.getElementById('root')
if (root) {
  createRoot(root).render(
    <StrictMode>
      <Shop />
    </StrictMode>,
  )
}
