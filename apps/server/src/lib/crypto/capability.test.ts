import { describe, expect, it, vi } from 'vitest'
import { createCapability } from './capability.ts'
import { clientSecretOf, readClientSecret } from './clientSecret.ts'
import { serverKeyOf } from './serverKey.ts'
import { readX402Token, x402TokenOf } from './x402Token.ts'

const id = 'pi_0000000000000000000a'

function countDerivations() {
  const derive = vi.fn(() => new Uint8Array(32).fill(7))
  return { derive, key: serverKeyOf('a secret of the server'), ...createCapability('_x_', derive) }
}

describe('a secret that was valid before', () => {
  it('is valid again, and derived once', () => {
    const { derive, key, of, read } = countDerivations()
    const text = of(id, key)
    expect([of(id, key), read(text, [key]), read(text, [key])]).toEqual([text, id, id])
    expect(derive).toHaveBeenCalledTimes(1)
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
  const { derive, key, of, read } = countDerivations()
  const text = of(id, key)
  for (let guess = 0; guess < 25_000; guess += 1) read(`pi_${guess}_x_guessed`, [key])
  for (let other = 0; other < 9_000; other += 1) of(`pi_${other}`, key)
  derive.mockClear()
  expect(read(text, [key])).toBe(id)
  expect(derive).not.toHaveBeenCalled()
})
