/** The parts of an OpenAPI 3.1 document that the reference shows. */
export type ApiDocument = {
  readonly info: { title: string; version: string; description: string }
  readonly servers: readonly { url: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly webhooks: Readonly<Record<string, { readonly post: Webhook }>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

export type Webhook = Pick<Operation, 'parameters' | 'requestBody'> & {
  readonly responses: Readonly<Record<string, Pick<ApiResponse, 'description'>>>
}

export type Operation = {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly security: readonly object[]
  readonly parameters?: readonly (Described & { name: string; in: string; required?: boolean })[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, ApiResponse>>
}

export type Described = { readonly description?: string; readonly schema: Schema }
type Content = { readonly 'application/json': { readonly schema: Schema } }
export type ApiResponse = {
  readonly description: string
  readonly headers?: Readonly<Record<string, Described>>
  /** The body by its media type. A response has exactly one. */
  readonly content: Readonly<Record<string, { readonly schema: Schema }>>
}

/** The part of JSON Schema that the document uses. */
export type Schema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly allOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly format?: string
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
}
