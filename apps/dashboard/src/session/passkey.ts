import { startAuthentication, startRegistration } from '@simplewebauthn/browser'
import { changeAccount } from '../api/account.ts'

type SignOptions = Parameters<typeof startAuthentication>[0]['optionsJSON']
type RegisterOptions = Parameters<typeof startRegistration>[0]['optionsJSON']

/** Signs in with any passkey of this service that the browser has. */
export async function signInByPasskey(): Promise<void> {
  const optionsJSON = await changeAccount<SignOptions>('POST', '/account/sign_in/passkey_options')
  const response = await startAuthentication({ optionsJSON })
  await changeAccount('POST', '/account/sign_in/passkey', { response })
}

/** Proves for ten minutes that the session's person is at the keyboard. */
export async function proveByPasskey(): Promise<void> {
  const optionsJSON = await changeAccount<SignOptions>('POST', '/account/session/passkey_options')
  const response = await startAuthentication({ optionsJSON })
  await changeAccount('POST', '/account/session/proof', { response })
}

export async function addPasskey(label: string): Promise<void> {
  const optionsJSON = await changeAccount<RegisterOptions>('POST', '/account/passkeys/options')
  const response = await startRegistration({ optionsJSON })
  await changeAccount('POST', '/account/passkeys', { label, response })
}

/** The person closed the browser's own dialog, or it timed out. */
export function isPasskeyCanceled(error: unknown): boolean {
  return error instanceof Error && ['NotAllowedError', 'AbortError'].includes(error.name)
}
