import type {
  ApiDocument,
  ApiResponse,
  Described,
  Operation,
  Schema,
  Webhook,
} from './apiDocument.ts'

/** A section of the reference. `id` is its anchor, `title` is text, and `html` has no empty lines. */
export type ReferenceSection = {
  readonly kind: 'operation' | 'webhooks' | 'object'
  readonly id: string
  readonly title: string
  readonly html: string
}

/** Renders a document in sections: its operations, its webhooks, its objects. */
export function referenceSections(document: ApiDocument): ReferenceSection[] {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  )
  const webhooks = Object.entries(document.webhooks).map(
    ([type, { post }]) => [type, post] as const,
  )
  const everywhere = headersOfAll(document)
  return [
    ...operations.map((operation) => operationSection(operation, everywhere)),
    ...webhooksSection(webhooks),
    ...Object.entries(document.components.schemas).map(schemaSection),
  ]
}

/** Renders the headers that every response has, as HTML without empty lines. */
export function headersOfEveryResponse(document: ApiDocument): string {
  const headers = [...headersOfAll(document)]
  return headers.map((header) => `<p>Every response has ${headerLine(header)}</p>`).join('')
}

/**
 * Renders a document as one HTML page.
 * @param guides a sentence about the guides, as HTML
 */
export function referencePage(document: ApiDocument, style: string, guides: string): string {
  const { info, servers } = document
  const sections = referenceSections(document)
  const links = (kind: ReferenceSection['kind']) =>
    sections
      .filter((section) => section.kind === kind)
      .map(({ id, title }) => `<li><a href="#${escapeHtml(id)}">${escapeHtml(title)}</a></li>`)
      .join('')
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
<ul>${links('operation')}</ul>
<h2><a href="#webhooks">Webhooks</a></h2>
<h2>Objects</h2>
<ul>${links('object')}</ul>
</nav>
<main>
<h1>${escapeHtml(info.title)} <small>${escapeHtml(info.version)}</small></h1>
<p>${prose(info.description)}</p>
<p>Base address: ${servers.map(({ url }) => code(url)).join(', ')}. For programs: <a href="/openapi.json">/openapi.json</a>. ${guides}</p>
${headersOfEveryResponse(document)}
${sections.map(sectionOfPage).join('\n')}
</main>
</body>
</html>
`
}

function sectionOfPage({ id, title, html }: ReferenceSection): string {
  return `<section id="${escapeHtml(id)}">\n<h2>${escapeHtml(title)}</h2>\n${html}\n</section>`
}

type ResponseHeaders = ReadonlyMap<string, Described>

/** The headers that every response has. The reference lists them once. */
function headersOfAll({ paths }: ApiDocument): ResponseHeaders {
  const responses = Object.values(paths).flatMap((methods) =>
    Object.values(methods).flatMap((operation) => Object.values(operation.responses)),
  )
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
  everywhere: ResponseHeaders,
): ReferenceSection {
  const { method, path, operation } = at
  const { operationId, summary, description, security, parameters = [], requestBody } = operation
  const lines = [
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
        bodyOf(response.content),
        [
          prose(response.description),
          ...Object.entries(response.headers ?? {})
            .filter(([name]) => !everywhere.has(name))
            .map(headerLine),
        ].join('<br>'),
      ]),
    ),
  ]
  const html = lines.filter(Boolean).join('\n')
  return { kind: 'operation', id: operationId, title: summary, html }
}

function bodyOf(content: ApiResponse['content']): string {
  return Object.entries(content)
    .map(([type, { schema }]) => (type === 'application/json' ? typeOf(schema) : code(type)))
    .join('<br>')
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

/** One section for all event types, which differ only in their object. */
function webhooksSection(
  webhooks: readonly (readonly [type: string, Webhook])[],
): ReferenceSection[] {
  const [first] = webhooks
  if (!first) return []
  const [, { parameters = [], responses }] = first
  const rows = webhooks.map(([type, { requestBody }]) => [
    code(type),
    objectOf(requestBody?.content['application/json'].schema),
  ])
  const html = [
    '<p>Requests that a webhook endpoint gets, with an <a href="#Event">Event</a> as their body.</p>',
    parametersTable(parameters),
    table(['Event type', `Object in ${code('data')}`], rows),
    ...Object.entries(responses).map(
      ([status, { description }]) => `<p>${code(status)}: ${prose(description)}</p>`,
    ),
  ].join('\n')
  return [{ kind: 'webhooks', id: 'webhooks', title: 'Webhooks', html }]
}

/** The type of the object in an event's `data`; empty if the schema names none. */
function objectOf(body: Schema | undefined): string {
  const data = body?.allOf?.map(({ properties }) => properties?.data).find(Boolean)
  return data?.properties?.object ? typeOf(data.properties.object) : ''
}

function schemaSection([name, schema]: [string, Schema]): ReferenceSection {
  const lines = [
    schema.description ? `<p>${prose(schema.description)}</p>` : '',
    schema.oneOf
      ? `<p>${typeOf(schema)}</p>`
      : table(['Property', 'Value', 'Meaning'], rowsOf(schema, '')),
  ]
  return { kind: 'object', id: name, title: name, html: lines.filter(Boolean).join('\n') }
}

/** A row for each property, each followed by the rows of the objects in it. */
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
      ...inner.flatMap((field) => rowsOf(field, `${full}.`)),
      ...inner.flatMap((field) => (field.items ? rowsOf(field.items, `${full}[].`) : [])),
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
  // The limits of a small integer say more than its format.
  const shown = format === 'int32' ? '' : format
  return [name, shown ?? '', ...limitsOf(schema)].filter(Boolean).map(escapeHtml).join(', ')
}

function limitsOf(schema: Schema): string[] {
  const { minimum, maximum, minLength, maxLength, pattern } = schema
  const range = between(safe(minimum), safe(maximum))
  const length = between(minLength, maxLength)
  return [range, length && `${length} characters`, pattern ? `matching ${pattern}` : '']
}

/** Omits the bounds of all JSON integers, which say nothing about this number. */
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
