/** Formats JSON in lines, with all tokens unchanged. Parsing would reorder some properties, and shorten numbers. */
export function indent(json: string): string {
  if (!/^[{[]/.test(json)) return json
  let depth = 0
  const line = () => `\n${' '.repeat(depth)}`
  return json.replaceAll(/"(?:[^"\\]|\\.)*"|\{\}|\[\]|[{}[\],:]/g, (token) => {
    switch (token) {
      case '{':
      case '[':
        depth += 1
        return token + line()
      case '}':
      case ']':
        depth -= 1
        return line() + token
      case ',':
        return token + line()
      case ':':
        return `${token} `
      default:
        return token
    }
  })
}
