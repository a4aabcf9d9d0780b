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

/** Returns a line for each key that this database uses, with the variable that holds its secret. No line reveals a secret. */
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

/** Makes every server derive new secrets from SERVER_SECRET. */
async function rotateSecrets(db: Db, secrets: Secrets): Promise<string> {
  if (!secrets.serverSecret) {
    throw new StartError(
      'SERVER_SECRET: is not set here; set it as for the servers, and SERVER_SECRET_PREVIOUS, too.',
    )
  }
  const keys = await openServerKeys(db.pool, secrets)
  const outcome = await rotateFingerprint(db, keys.next.fingerprint)
  return outcome === 'unchanged'
    ? 'The servers derive new secrets from SERVER_SECRET already.'
    : 'The servers derive new secrets from SERVER_SECRET from now on. Keep the previous secret in SERVER_SECRET_PREVIOUS for a day, and as long as `secret show` counts webhook endpoints that use it.'
}
