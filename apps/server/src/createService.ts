import type { Service } from '@payment-intents/core'
import { createStore, limitedAuthorizations } from './createStore.ts'
import type { HttpContext } from './http/transport/httpContext.ts'
import { clientSecretOf } from './lib/crypto/clientSecret.ts'
import { keccak256 } from './lib/crypto/keccak256.ts'
import { randomBytes } from './lib/crypto/randomBytes.ts'
import { refundTokenOf } from './lib/crypto/refundToken.ts'
import { hashToken, newToken } from './lib/crypto/token.ts'
import { webhookSecretOf } from './lib/crypto/webhookSecret.ts'
import { x402TokenOf } from './lib/crypto/x402Token.ts'
import { createPreviewAuthorization } from './store/authorizations/previewAuthorization.ts'
import { newId } from './store/lists/ids.ts'

/** The service over PostgreSQL, with the same handlers as the test kit. */
export function createService(context: HttpContext): Service {
  const { serverKeys, webhookGuard, now } = context
  const store = createStore(context)
  const service: Omit<Service, 'previewAuthorization'> = {
    store,
    secrets: {
      currentKey: () => serverKeys.current().fingerprint,
      clientSecret: (id, key) => clientSecretOf(id, serverKeys.named(key)),
      x402Token: (id, key) => x402TokenOf(id, serverKeys.named(key)),
      webhookSecret: (id, version, key) => webhookSecretOf(id, version, serverKeys.named(key)),
      refundToken: (id) => refundTokenOf(id, serverKeys.current()),
      newHandoffToken() {
        const token = newToken()
        return { token, hash: hashToken(token).toString('hex') }
      },
    },
    publicUrl: context.publicUrl,
    now,
    clock: context.clock,
    newId,
    randomSalt: () => `0x${randomBytes(32).toString('hex')}`,
    confirmations: context.confirmations,
    network: context.network,
    gasless: context.gasless,
    simulateTransfer: context.simulateTransfer,
    readTransaction: context.readTransaction,
    readBalance: context.readBalance,
    checkAccountSignature: context.checkAccountSignature,
    refuseWebhookHost(url) {
      try {
        webhookGuard.checkHost(url)
        return null
      } catch (error) {
        return (error as Error).message
      }
    },
    allowsPlainWebhook: (url) => webhookGuard.isAllowedByName(url),
    keccak256,
  }
  const preview = createPreviewAuthorization(context.db, () => performance.now())
  return {
    ...service,
    // A merchant's creations use the merchant's share of the database, not the payers'.
    previewAuthorization(submission) {
      const { merchantId } = submission.intent
      const withSlot = <Result>(work: () => Promise<Result>) =>
        store.withCreationSlot(merchantId, work)
      const authorizations = limitedAuthorizations(context.db, withSlot)
      return preview({ ...service, store: { ...store, authorizations } }, submission, withSlot)
    },
  }
}
