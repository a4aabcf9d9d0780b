import { apiKeyEndpoints } from './apiKeys.ts'
import { auditLogEndpoints } from './auditLog.ts'
import { passkeyEndpoints } from './passkeys.ts'
import { peopleEndpoints } from './people.ts'
import { sessionEndpoints } from './signIn.ts'
import { walletEndpoints } from './walletEndpoints.ts'

/** Every endpoint of people who are signed in, by its name in the audit log. API keys reach none of them. */
export const accountEndpoints = {
  ...sessionEndpoints,
  ...passkeyEndpoints,
  ...peopleEndpoints,
  ...apiKeyEndpoints,
  ...walletEndpoints,
  ...auditLogEndpoints,
}
