import type { Chain, Mode, Role } from '@payment-intents/contract'
import { send } from './send.ts'

/** The account's own endpoints, for signed-in people alone. Times are RFC 3339. */
type Gets = {
  '/account/session': Session
  '/account/sessions': { data: OpenSession[] }
  '/account/passkeys': { data: Passkey[] }
  '/account/people': { data: Person[] }
  '/account/api_keys': { data: ApiKey[] }
  '/account/wallets': Wallets
  '/account/audit_log': { data: AuditEntry[]; has_more: boolean }
}

export type Session = {
  id: string
  person: { id: string; name: string; email: string | null; role: Role }
  merchant: { id: string; name: string }
  mode: Mode
  /** The modes in which the service follows a chain. */
  modes: Mode[]
  passkeys: number
  expires_at: string
  verified_until: string
}
type OpenSession = {
  id: string
  person: { id: string; name: string }
  user_agent: string
  is_current: boolean
  created_at: string
  last_used_at: string
  expires_at: string
}
type Passkey = { id: string; label: string; created_at: string; last_used_at: string | null }
export type Person = {
  id: string
  name: string
  email: string | null
  role: Role
  has_signed_in: boolean
  created_at: string
  last_used_at: string | null
}
export type ApiKey = {
  id: string
  mode: Mode
  hint: string
  label: string
  scope: 'full' | 'read_only'
  created_at: string
  last_used_at: string | null
  /** The time from which the key no longer works. */
  revoked_at: string | null
}
/** Only the response to the creation has the key's text. */
export type NewApiKey = Pick<ApiKey, 'id' | 'mode' | 'hint' | 'label' | 'scope'> & { key: string }
export type Wallets = {
  wallets: { chain: Chain; address: string; match_plain_price: boolean }[]
  allowed_recipients: string[]
  refund_wallets: string[]
  /** `chain_id`: where a contract's proof counts; null: on every chain. */
  proven: { address: string; chain_id: number | null }[]
}
export type AuditEntry = {
  id: string
  action: string
  person: { id: string; name: string } | null
  api_key: { id: string; label: string } | null
  subject: string | null
  outcome: string | null
  mode: Mode | null
  details: Record<string, unknown> | null
  created_at: string
}

export function readAccount<Path extends keyof Gets>(path: Path, query = ''): Promise<Gets[Path]> {
  return send({ method: 'GET', path, query })
}

/** @param path below `/account/`, with the id */
export function changeAccount<Response = unknown>(
  method: 'POST' | 'PATCH' | 'DELETE',
  path: `/account/${string}`,
  body?: object,
): Promise<Response> {
  return send({ method, path, ...(body ? { body } : {}) })
}
