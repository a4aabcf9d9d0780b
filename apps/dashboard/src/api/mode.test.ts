import { expect, test, vi } from 'vitest'
import { currentMode, openMode } from './mode.ts'

test('a page keeps its mode while another mode opens', () => {
  const stored = new Map<string, string>()
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
  })
  const assign = vi.fn()
  vi.stubGlobal('location', { assign })
  expect(currentMode()).toBe('testnet')
  openMode('mainnet')
  expect(assign).toHaveBeenCalledExactlyOnceWith('/')
  expect(currentMode()).toBe('testnet')
  expect([...stored.values()]).toEqual(['mainnet'])
})
