/** Node's `request.headers`. */
export type NodeHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

export function textOf(value: NodeHeaders[string]): string {
  return typeof value === 'string' ? value : ''
}
