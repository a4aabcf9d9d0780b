import { z } from 'zod'

/** The body or query of an endpoint that takes no parameters. */
export const nothing = /* @__PURE__ */ z.strictObject({})
