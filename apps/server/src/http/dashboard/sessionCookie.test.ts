import { expect, test } from 'vitest'
import { newToken } from '../../lib/crypto/token.ts'
import { sessionCookie, sessionHash } from './sessionCookie.ts'

const token = newToken()

test.each([
  [
    'https://desk.example',
    `__Host-payment_intents_session=${token}; Path=/; Max-Age=60; HttpOnly; SameSite=Strict; Secure`,
  ],
  [
    'http://localhost:4243',
    `payment_intents_session=${token}; Path=/; Max-Age=60; HttpOnly; SameSite=Strict`,
  ],
])('%s', (dashboardUrl, expected) => {
  const cookie = sessionCookie({ token, expiresAt: 61_500 }, dashboardUrl, 1_000)
  expect(cookie).toBe(expected)
  const [pair] = cookie.split(';')
  const read = (cookie: string | undefined) =>
    sessionHash({ headers: { cookie } as never }, dashboardUrl)
  expect(read(`theme=dark; ${pair}`)?.length).toBe(32)
  for (const other of [undefined, '', `x${pair}`, `${pair}x`, 'payment_intents_session=']) {
    expect(read(other)).toBeNull()
  }
})

test('a cookie that any host of the domain could set is ignored over HTTPS', () => {
  const cookie = `payment_intents_session=${token}`
  expect(sessionHash({ headers: { cookie } as never }, 'https://desk.example')).toBeNull()
})
