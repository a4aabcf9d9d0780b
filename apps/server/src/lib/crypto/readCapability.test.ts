import { describe, expect, it, vi } from 'vitest'
import { clientSecretOf, readClientSecret } from './clientSecret.ts'
import { readCapability } from './readCapability.ts'
import { serverKeyOf } from './serverKey.ts'
import { readX402Token, x402TokenOf } from './x402Token.ts'

const id = 'pi_0000000000000000000a'

describe('a secret that was valid before', () => {
  it('is valid again, and derived once', () => {
    const key = serverKeyOf('a secret of the server')
    const derive = vi.fn((of: string) => `${of}_secret_derived`)
    const read = (text: string) => readCapability(text, '_secret_', derive, [key])
    expect([read(derive(id)), read(derive(id))]).toEqual([id, id])
    derive.mockClear()
    expect(read(`${id}_secret_derived`)).toBe(id)
    expect(derive).not.toHaveBeenCalled()
  })

  it('opens nothing with a changed, missing or added character', () => {
    const key = serverKeyOf('a secret of the server')
    const secret = clientSecretOf(id, key)
    expect(readClientSecret(secret, [key])).toBe(id)
    const last = secret.endsWith('0') ? '1' : '0'
    for (const invalid of [secret.slice(0, -1) + last, secret.slice(0, -1), `${secret}0`]) {
      expect(readClientSecret(invalid, [key])).toBeNull()
    }
  })

  it('opens nothing once its key is gone', () => {
    const [old, next] = [serverKeyOf('a secret of the server'), serverKeyOf('the next secret')]
    const secret = clientSecretOf(id, old)
    expect(readClientSecret(secret, [next, old])).toBe(id)
    expect(readClientSecret(secret, [next])).toBeNull()
  })

  it('differs from the secret of a payment link of the same intent', () => {
    const key = serverKeyOf('a secret of the server')
    const [secret, token] = [clientSecretOf(id, key), x402TokenOf(id, key)]
    expect([readClientSecret(secret, [key]), readX402Token(token, [key])]).toEqual([id, id])
    expect([readClientSecret(token, [key]), readX402Token(secret, [key])]).toEqual([null, null])
    expect(readX402Token(secret.replace('_secret_', '_x402_'), [key])).toBeNull()
    expect(readClientSecret(token.replace('_x402_', '_secret_'), [key])).toBeNull()
  })
})

it('stays cached while secrets in use are many and others are guessed', () => {
  const key = serverKeyOf('a secret of the server')
  const derive = vi.fn((of: string) => `${of}_secret_derived`)
  const read = (text: string) => readCapability(text, '_secret_', derive, [key])
  expect(read(`${id}_secret_derived`)).toBe(id)
  for (let guess = 0; guess < 25_000; guess += 1) read(`pi_${guess}_secret_guessed`)
  derive.mockClear()
  expect(read(`${id}_secret_derived`)).toBe(id)
  expect(derive).not.toHaveBeenCalled()
})
