import { StrictMode } from 'react'
import { renderToString } from 'react-dom/server'
import { expect, test, vi } from 'vitest'
import { useServiceModal } from './useServiceModal.ts'

function Pay() {
  const { open, preloadProps, isOpen, status } = useServiceModal({
    clientSecret: 'one',
    merchantName: 'Kiosk',
    baseUrl: 'https://pay.example.com',
  })
  return (
    <button type="button" {...preloadProps} disabled={isOpen} onClick={open}>
      {status}
    </button>
  )
}

test('renders on a server with the real checkout imported, without a warning', () => {
  const warned = vi.spyOn(console, 'error')
  expect(typeof document).toBe('undefined')
  expect(
    renderToString(
      <StrictMode>
        <Pay />
      </StrictMode>,
    ),
  ).toBe('<button type="button">idle</button>')
  expect(warned).not.toHaveBeenCalled()
})
