/** The parts of an OpenAPI 3.1 document that are shown. */
export type ApiDocument = {
  readonly info: { title: string; version: string; summary: string }
  readonly servers: readonly { url: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly webhooks: Readonly<Record<string, { readonly post: Webhook }>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

type Webhook = Pick<Operation, 'parameters' | 'requestBody'> & {
  readonly responses: Readonly<Record<string, Pick<Answer, 'description'>>>
}

type Operation = {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly security: readonly object[]
  readonly parameters?: readonly (Described & { name: string; in: string; required?: boolean })[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, Answer>>
}

type Described = { readonly description?: string; readonly schema: Schema }
type Content = { readonly 'application/json': { readonly schema: Schema } }
type Answer = {
  readonly description: string
  readonly headers?: Readonly<Record<string, Described>>
  readonly content: Content
}

/** What is used of JSON Schema. */
type Schema = {
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

/** A document of the API as one HTML page. */
export function referencePage(document: ApiDocument, style: string): string {
  const { info, servers, components } = document
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  )
  const schemas = Object.entries(components.schemas)
  const webhooks = Object.entries(document.webhooks).map(
    ([type, { post }]) => [type, post] as const,
  )
  const everywhere = headersOfAll(
    operations.flatMap(({ operation }) => Object.values(operation.responses)),
  )
  const link = (id: string, text: string) =>
    `<li><a href="#${escapeHtml(id)}">${escapeHtml(text)}</a></li>`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(info.title)} ${escapeHtml(info.version)}</title>
<style>${style}</style>
</head>
<body>
<nav>
<h2>Operations</h2>
<ul>${operations.map(({ operation }) => link(operation.operationId, operation.summary)).join('')}</ul>
<h2><a href="#webhooks">Webhooks</a></h2>
<h2>Objects</h2>
<ul>${schemas.map(([name]) => link(name, name)).join('')}</ul>
</nav>
<main>
<h1>${escapeHtml(info.title)} <small>${escapeHtml(info.version)}</small></h1>
<p>${prose(info.summary)}</p>
<p>Base address: ${servers.map(({ url }) => code(url)).join(', ')}. For programs: <a href="/openapi.json">/openapi.json</a>.</p>
${[...everywhere].map((header) => `<p>Every answer has ${headerLine(header)}</p>`).join('')}
${operations.map((operation) => operationSection(operation, everywhere)).join('\n')}
${webhooksSection(webhooks)}
${schemas.map(schemaSection).join('\n')}
</main>
</body>
</html>
`
}

type AnswerHeaders = ReadonlyMap<string, Described>

/** Headers that every answer has, which the page lists once. */
function headersOfAll(responses: readonly Answer[]): AnswerHeaders {
  const [first, ...others] = responses
  const shared = Object.entries(first?.headers ?? {}).filter(([name]) =>
    others.every(({ headers = {} }) => name in headers),
  )
  return new Map(shared)
}

function headerLine([name, { description = '' }]: readonly [string, Described]): string {
  return `${code(name)}: ${prose(description)}`
}

function operationSection(
  at: { method: string; path: string; operation: Operation },
  everywhere: AnswerHeaders,
): string {
  const { method, path, operation } = at
  const { operationId, summary, description, security, parameters = [], requestBody } = operation
  const lines = [
    `<section id="${escapeHtml(operationId)}">`,
    `<h2>${escapeHtml(summary)}</h2>`,
    `<p class="call"><b>${method.toUpperCase()}</b> ${code(path)}</p>`,
    description ? `<p>${prose(description)}</p>` : '',
    security.length > 0
      ? `<p>With ${code('Authorization: Bearer <API key>')}.</p>`
      : '<p>Without an API key.</p>',
    parameters.length > 0 ? parametersTable(parameters) : '',
    requestBody ? `<p>Body: ${typeOf(requestBody.content['application/json'].schema)}</p>` : '',
    table(
      ['Status', 'Body', 'Meaning'],
      Object.entries(operation.responses).map(([status, response]) => [
        code(status),
        typeOf(response.content['application/json'].schema),
        [
          prose(response.description),
          ...Object.entries(response.headers ?? {})
            .filter(([name]) => !everywhere.has(name))
            .map(headerLine),
        ].join('<br>'),
      ]),
    ),
    '</section>',
  ]
  return lines.filter(Boolean).join('\n')
}

function parametersTable(parameters: NonNullable<Operation['parameters']>): string {
  return table(
    ['Parameter', 'In', 'Value', 'Meaning'],
    parameters.map(({ name, in: where, required, schema, description }) => [
      named(name, required ?? false),
      escapeHtml(where),
      typeOf(schema),
      prose(description ?? ''),
    ]),
  )
}

/** Requests of all types are alike but for the object in them. */
function webhooksSection(webhooks: readonly (readonly [type: string, Webhook])[]): string {
  const [first] = webhooks
  if (!first) return ''
  const [, { parameters = [], responses }] = first
  const rows = webhooks.map(([type, { requestBody }]) => [
    code(type),
    objectOf(requestBody?.content['application/json'].schema),
  ])
  return [
    '<section id="webhooks">',
    '<h2>Webhooks</h2>',
    '<p>Requests that a webhook endpoint gets, with an <a href="#Event">Event</a> as their body.</p>',
    parametersTable(parameters),
    table(['Event type', `Object in ${code('data')}`], rows),
    ...Object.entries(responses).map(
      ([status, { description }]) => `<p>${code(status)}: ${prose(description)}</p>`,
    ),
    '</section>',
  ].join('\n')
}

/** What a webhook's schema adds to that of every event. */
function objectOf(body: Schema | undefined): string {
  const data = body?.allOf?.map(({ properties }) => properties?.data).find(Boolean)
  return data?.properties?.object ? typeOf(data.properties.object) : ''
}

function schemaSection([name, schema]: [string, Schema]): string {
  return [
    `<section id="${escapeHtml(name)}">`,
    `<h2>${escapeHtml(name)}</h2>`,
    schema.description ? `<p>${prose(schema.description)}</p>` : '',
    table(['Property', 'Value', 'Meaning'], rowsOf(schema, '')),
    '</section>',
  ]
    .filter(Boolean)
    .join('\n')
}

/** Properties, and below each those of the objects that it holds. */
function rowsOf(schema: Schema, prefix: string): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const full = prefix + name
    const row = [
      named(full, schema.required?.includes(name) ?? false),
      typeOf(property),
      prose(property.description ?? ''),
    ]
    const inner = [property, ...(property.anyOf ?? []), ...(property.oneOf ?? [])]
    return [
      row,
      ...inner.flatMap((one) => rowsOf(one, `${full}.`)),
      ...inner.flatMap((one) => (one.items ? rowsOf(one.items, `${full}[].`) : [])),
    ]
  })
}

function typeOf(schema: Schema): string {
  const { $ref, type, format, items } = schema
  if ($ref) {
    const name = escapeHtml($ref.slice($ref.lastIndexOf('/') + 1))
    return `<a href="#${name}">${name}</a>`
  }
  if (schema.const !== undefined) return code(JSON.stringify(schema.const))
  if (schema.enum) return schema.enum.map((value) => code(JSON.stringify(value))).join(' or ')
  const either = schema.anyOf ?? schema.oneOf
  if (either) return either.map(typeOf).join(' or ')
  const orNull = [type].flat().includes('null') ? ' or null' : ''
  if (items) return `array of ${typeOf(items)}${orNull}`
  const name = type === undefined ? 'anything' : [type].flat().join(' or ')
  // Limits say more about a small integer.
  const shown = format === 'int32' ? '' : format
  return [name, shown ?? '', ...limitsOf(schema)].filter(Boolean).map(escapeHtml).join(', ')
}

function limitsOf(schema: Schema): string[] {
  const { minimum, maximum, minLength, maxLength, pattern } = schema
  const range = between(safe(minimum), safe(maximum))
  const length = between(minLength, maxLength)
  return [range, length && `${length} characters`, pattern ? `matching ${pattern}` : '']
}

/** The bounds of what JSON readers take for integers say nothing about this one. */
function safe(limit: number | undefined): number | undefined {
  return Math.abs(limit ?? 0) === Number.MAX_SAFE_INTEGER ? undefined : limit
}

function between(low: number | undefined, high: number | undefined): string {
  if (low !== undefined && high !== undefined) return `${low} to ${high}`
  if (low !== undefined) return `at least ${low}`
  return high === undefined ? '' : `at most ${high}`
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = heads.map((text) => `<th>${text}</th>`).join('')
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`)
  return `<table>\n<tr>${head}</tr>\n${body.join('\n')}\n</table>`
}

function named(name: string, required: boolean): string {
  return code(name) + (required ? '' : ' <i>optional</i>')
}

/** Descriptions are plain text with `code` and empty lines between paragraphs. */
function prose(text: string): string {
  return escapeHtml(text)
    .replaceAll(/`([^`]*)`/g, '<code>$1</code>')
    .replaceAll('\n\n', '<br>')
}

function code(text: string): string {
  return `<code>${escapeHtml(text)}</code>`
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? character)
}
