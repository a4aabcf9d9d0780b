// @vitest-environment happy-dom
import { openServiceModal, preload } from '@payment-intents/browser'
import { checkouts as opened, resetCheckouts } from '@payment-intents/testing/checkout'
import { act, cleanup, fireEvent, render, renderHook, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type UseServiceModalOptions, useServiceModal } from './useServiceModal.ts'

vi.mock('@payment-intents/browser', async (): Promise<object> => {
  const fake = await import('@payment-intents/testing/checkout')
  return { openServiceModal: vi.fn(fake.openServiceModal), preload: vi.fn(fake.preload) }
})

/** The open checkout. */
const current = () => opened.find(({ isOpen }) => isOpen)

beforeEach(() => void vi.mocked(openServiceModal).mockClear())
afterEach(() => {
  cleanup()
  resetCheckouts()
})

const base = { clientSecret: 'one', merchantName: 'Kiosk', baseUrl: 'https://pay.example.com' }
const payment = { payment_intent_id: 'pi_1', tx_hash: '0x1' }

async function fetchSecret() {
  return 'fetched'
}

function PayOnClick() {
  const { open, isOpen } = useServiceModal({ merchantName: 'Kiosk', baseUrl: base.baseUrl })
  const pay = async () => open({ clientSecret: await fetchSecret() })
  return (
    <button type="button" onClick={pay}>
      {isOpen ? 'Paying' : 'Pay'}
    </button>
  )
}

function PayAtOnce() {
  const { open, status } = useServiceModal(base)
  return (
    <button type="button" onClick={open}>
      {status}
    </button>
  )
}

function setup(options: Partial<UseServiceModalOptions> = {}) {
  return renderHook(
    (changed: Partial<UseServiceModalOptions>) => useServiceModal({ ...base, ...changed }),
    { initialProps: options },
  )
}

describe('open', () => {
  test('passes the options on and is open', () => {
    const { result } = setup({ theme: 'dark' })
    expect(result.current).toMatchObject({ isOpen: false, status: 'idle' })
    act(() => result.current.open())
    expect(opened[0]?.options).toMatchObject({ ...base, theme: 'dark' })
    expect(result.current).toMatchObject({ isOpen: true, status: 'open' })
  })

  test('takes a secret that was fetched on the click', async () => {
    render(<PayOnClick />)
    fireEvent.click(screen.getByText('Pay'))
    await screen.findByText('Paying')
    expect(opened.map(({ options }) => options.clientSecret)).toEqual(['fetched'])
  })

  test('can be passed as a click handler', () => {
    render(<PayAtOnce />)
    fireEvent.click(screen.getByText('idle'))
    screen.getByText('open')
    expect(opened[0]?.options.clientSecret).toBe('one')
  })

  test('ignores options that another script has set on Object.prototype', () => {
    const stranger = vi.fn()
    const names = ['onPending', 'onSuccess', 'onError', 'onClose'] as const
    const polluted = {
      clientSecret: 'stranger',
      ...Object.fromEntries(names.map((name) => [name, stranger])),
    }
    for (const [name, value] of Object.entries(polluted)) {
      Object.defineProperty(Object.prototype, name, { value, writable: true, configurable: true })
    }
    try {
      render(<PayAtOnce />)
      fireEvent.click(screen.getByText('idle'))
      const [options] = opened.map(({ options }) => options)
      act(() => {
        options?.onPending?.(payment)
        options?.onSuccess?.(payment)
        options?.onError?.({ code: 'network_error', message: '', recoverable: false })
        options?.onClose?.()
      })
      expect(options?.clientSecret).toBe('one')
      expect(stranger).not.toHaveBeenCalled()
    } finally {
      for (const name of Object.keys(polluted)) Reflect.deleteProperty(Object.prototype, name)
    }
  })

  test('opens a payment once, even if it is called twice', () => {
    const onClose = vi.fn()
    const { result } = setup({ onClose })
    act(() => result.current.open())
    act(() => result.current.open())
    expect(openServiceModal).toHaveBeenCalledTimes(1)
    act(() => result.current.close())
    expect(result.current.isOpen).toBe(false)
    expect(onClose).toHaveBeenCalledTimes(1)
  })

  test('opens a payment again after it was closed', () => {
    const { result } = setup()
    act(() => result.current.open())
    act(() => result.current.close())
    act(() => result.current.open())
    expect(opened).toHaveLength(2)
    expect(result.current.isOpen).toBe(true)
  })

  test('replaces the checkout of another payment, and stays open', async () => {
    const onClose = vi.fn()
    const { result } = setup({ onClose })
    act(() => result.current.open())
    await act(async () => result.current.open({ clientSecret: 'two' }))
    expect(onClose).toHaveBeenCalledTimes(1)
    expect(result.current).toMatchObject({ isOpen: true, status: 'open' })
    act(() => result.current.close())
    expect(current()).toBe(undefined)
    expect(result.current.isOpen).toBe(false)
  })

  test('takes precedence when the onClose of the replaced checkout calls it', async () => {
    const reopen = vi.fn()
    const { result } = setup({ onClose: reopen })
    reopen.mockImplementationOnce(() => result.current.open({ clientSecret: 'three' }))
    act(() => result.current.open())
    await act(async () => result.current.open({ clientSecret: 'two' }))
    expect(current()?.options.clientSecret).toBe('three')
    expect(result.current.isOpen).toBe(true)
    act(() => result.current.close())
    expect(current()).toBe(undefined)
  })

  test('throws without a secret, and keeps an open checkout open', () => {
    const { result } = setup()
    act(() => result.current.open())
    expect(() => result.current.open({ clientSecret: '' })).toThrow(/needs `clientSecret`/)
    expect(result.current.isOpen).toBe(true)
    act(() => result.current.close())
    expect(result.current.isOpen).toBe(false)
  })

  test('leaves `isOpen` false if the checkout closes before it is returned', () => {
    vi.mocked(openServiceModal).mockImplementationOnce((options) => {
      options.onClose?.()
      return { close() {}, closed: Promise.resolve() }
    })
    const { result } = setup()
    act(() => result.current.open())
    expect(result.current).toMatchObject({ isOpen: false, status: 'idle' })
  })

  test('can be preloaded by pointer and by keyboard, without opening', () => {
    vi.mocked(preload).mockClear()
    const { result } = setup()
    render(<button type="button" {...result.current.preloadProps} />)
    expect(preload).not.toHaveBeenCalled()
    fireEvent.pointerEnter(screen.getByRole('button'))
    expect(preload).toHaveBeenCalledTimes(1)
    fireEvent.focus(screen.getByRole('button'))
    expect(preload).toHaveBeenCalledTimes(2)
    expect(preload).toHaveBeenCalledWith()
    expect(openServiceModal).not.toHaveBeenCalled()
  })

  test('is stable over renders, as are close and the props', () => {
    const { result, rerender } = setup()
    const { open, close, preloadProps } = result.current
    act(() => open())
    rerender({ theme: 'light' })
    expect(result.current.open).toBe(open)
    expect(result.current.close).toBe(close)
    expect(result.current.preloadProps).toBe(preloadProps)
  })
})

describe('isOpen and status', () => {
  test('follow the payment, and the status remains after closing', () => {
    const { result } = setup()
    act(() => result.current.open())
    act(() => opened[0]?.options.onPending?.(payment))
    expect(result.current).toMatchObject({ isOpen: true, status: 'pending' })
    act(() => opened[0]?.close())
    expect(result.current).toMatchObject({ isOpen: false, status: 'pending' })
    act(() => result.current.open())
    expect(result.current.status).toBe('open')
    act(() => opened[1]?.options.onSuccess?.(payment))
    act(() => opened[1]?.close())
    expect(result.current).toMatchObject({ isOpen: false, status: 'succeeded' })
  })

  test('are idle again if nothing was paid', () => {
    const { result } = setup()
    act(() => result.current.open())
    act(() => opened[0]?.close())
    expect(result.current).toMatchObject({ isOpen: false, status: 'idle' })
  })

  test.each([
    [true, 'open'],
    [false, 'failed'],
  ])('follow an error whose `recoverable` is %s to the status %s', (recoverable, status) => {
    const { result } = setup()
    act(() => result.current.open())
    const error = { code: 'network_error', message: 'Offline.', recoverable } as const
    act(() => opened[0]?.options.onError?.(error))
    expect(result.current).toMatchObject({ isOpen: true, status })
  })

  test('are updated before onClose is called', () => {
    const onClose = vi.fn(() => result.current.open())
    const { result } = setup({ onClose })
    act(() => result.current.open())
    act(() => opened[0]?.close())
    expect(opened).toHaveLength(2)
    expect(result.current.isOpen).toBe(true)
    onClose.mockImplementation(() => {})
  })

  test('are reset for every component that opened the same payment', async () => {
    const first = setup()
    const second = setup()
    act(() => first.result.current.open())
    act(() => second.result.current.open())
    await act(async () => opened[0]?.close())
    expect(first.result.current.isOpen).toBe(false)
    expect(second.result.current.isOpen).toBe(false)
  })
})

describe('callbacks', () => {
  test('are those of the last render', () => {
    const names = ['onPending', 'onSuccess', 'onError', 'onClose'] as const
    const calls: string[] = []
    const callbacks = (render: number) =>
      Object.fromEntries(names.map((name) => [name, () => calls.push(`${name} ${render}`)]))
    const { result, rerender } = setup(callbacks(1))
    act(() => result.current.open())
    rerender(callbacks(2))
    act(() => {
      opened[0]?.options.onPending?.(payment)
      opened[0]?.options.onSuccess?.(payment)
      opened[0]?.options.onError?.({ code: 'network_error', message: '', recoverable: true })
      opened[0]?.close()
    })
    expect(calls).toEqual(names.map((name) => `${name} 2`))
  })

  test('receive the checkout’s reports', () => {
    const onSuccess = vi.fn()
    const { result } = setup({ onSuccess })
    act(() => result.current.open())
    act(() => opened[0]?.options.onSuccess?.(payment))
    expect(onSuccess.mock.calls).toEqual([[payment]])
  })
})

describe('unmounting', () => {
  test('closes', () => {
    const onClose = vi.fn()
    const { result, unmount } = setup({ onClose })
    act(() => result.current.open())
    unmount()
    expect(current()).toBe(undefined)
    expect(onClose).toHaveBeenCalledTimes(1)
  })

  test('makes `open` with a late secret do nothing', () => {
    const { result, unmount } = setup()
    unmount()
    result.current.open()
    expect(opened).toEqual([])
  })
})

test('a payment link opens in place of a client secret, and once if it is opened twice', () => {
  const { result } = setup()
  act(() => result.current.open({ paymentLink: 'plink_1' }))
  act(() => result.current.open({ paymentLink: 'plink_1' }))
  expect(opened.length).toBe(1)
  expect(opened[0]?.options).toMatchObject({ paymentLink: 'plink_1' })
  expect(opened[0]?.options.clientSecret).toBe(undefined)
})

test('openServiceModal receives the options of open, even misspelt names, but not the fields of an event', () => {
  const { result } = setup()
  act(() => result.current.open({ client_secret: 'two', onPending: 'no' } as never))
  act(() => result.current.open({ clientSecret: 'three', theme: 'dark' } as never))
  act(() => result.current.open(new MouseEvent('click') as never))
  const optionObjects = opened.map(({ options }) => options as Record<string, unknown>)
  expect(optionObjects[0]).toMatchObject({ clientSecret: 'one', client_secret: 'two' })
  expect(optionObjects[0]?.onPending).toBeTypeOf('function')
  expect(optionObjects[1]).toMatchObject({ clientSecret: 'three', theme: 'dark' })
  expect(Object.keys(optionObjects[2] ?? {}).sort()).toEqual(
    [...Object.keys(base), 'onClose', 'onError', 'onPending', 'onSuccess', 'paymentLink'].sort(),
  )
})
