import { apiKeyEndpoints } from './apiKeyEndpoints.ts'
import { auditLogEndpoints } from './auditLogEndpoints.ts'
import { passkeyEndpoints } from './passkeyEndpoints.ts'
import { peopleEndpoints } from './peopleEndpoints.ts'
import { sessionEndpoints } from './signIn.ts'
import { walletEndpoints } from './walletEndpoints.ts'

/** Every endpoint for people who are signed in, by its name in the audit log. No API key opens them. */
export const accountEndpoints = {
  ...sessionEndpoints,
  ...passkeyEndpoints,
  ...peopleEndpoints,
  ...apiKeyEndpoints,
  ...walletEndpoints,
  ...auditLogEndpoints,
}
