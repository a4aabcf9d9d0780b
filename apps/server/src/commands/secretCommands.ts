import { serverKeyOf } from '../lib/crypto/serverKey.ts'
import { StartError } from '../lib/startError.ts'
import type { Db } from '../store/connection/connect.ts'
import { openServerKeys, type Secrets } from '../store/merchants/serverKeys.ts'
import {
  readFingerprint,
  rotateFingerprint,
  usedFingerprints,
} from '../store/merchants/serverSecret.ts'
import type { Command } from './command.ts'

export const secretCommands: Record<string, Command> = {
  'secret show': {
    subject: null,
    run: (_db, _subject, _options, { db, secrets }) => showSecrets(db, secrets),
  },
  'secret rotate': {
    subject: null,
    run: (_db, _subject, _options, { db, secrets }) => rotateSecrets(db, secrets),
  },
}

/** A line for each key that this database uses, with where its secret is; nothing that a secret could be had from. */
async function showSecrets(db: Db, secrets: Secrets): Promise<string> {
  const named: [string, string][] = [
    ...(secrets.serverSecret ? [['SERVER_SECRET', secrets.serverSecret] as [string, string]] : []),
    ...secrets.previousSecrets.map((secret): [string, string] => [
      'SERVER_SECRET_PREVIOUS',
      secret,
    ]),
  ]
  const places = new Map(named.map(([name, secret]) => [serverKeyOf(secret).fingerprint, name]))
  const current = await readFingerprint(db.pool)
  const used = new Map(
    (await usedFingerprints(db.pool)).map((item) => [item.fingerprint, item.endpoints]),
  )
  const all = new Set([...(current === null ? [] : [current]), ...used.keys()])
  return [...all]
    .map((fingerprint) =>
      [
        fingerprint.replace('hkdf:', '').slice(0, 12),
        fingerprint === current ? 'current' : 'previous',
        `${used.get(fingerprint) ?? 0} webhook endpoints`,
        places.get(fingerprint) ?? 'not set here',
      ].join('\t'),
    )
    .join('\n')
}

/** Has every server derive new secrets from SERVER_SECRET. */
async function rotateSecrets(db: Db, secrets: Secrets): Promise<string> {
  if (!secrets.serverSecret) {
    throw new StartError(
      'SERVER_SECRET: must be set here as for the servers, and SERVER_SECRET_PREVIOUS too.',
    )
  }
  const keys = await openServerKeys(db.pool, secrets)
  const outcome = await rotateFingerprint(db, keys.next.fingerprint)
  return outcome === 'unchanged'
    ? 'New secrets are derived from SERVER_SECRET already.'
    : 'New secrets are derived from SERVER_SECRET from now on. Keep the one before in SERVER_SECRET_PREVIOUS for a day, and as long as `secret show` counts webhook endpoints of it.'
}
