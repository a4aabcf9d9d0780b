import { readGuide, readSupport } from './payerHelp.ts'

type Rule = {
  /** Parses the input of a merchant or the operator; null: refused. */
  readonly parse: (text: string) => string | null
  /** Follows the name of the property or the option. */
  readonly must: string
}

/** The rules for text settings, of the API and of the command line. */
export const settingRules = {
  name: {
    parse: readName,
    must: 'must be one line of 1 to 200 characters, without tabs',
  },
  accent: {
    parse: readAccent,
    must: 'must be # and six hexadecimal digits, such as #0a7d5c',
  },
  support: {
    parse: readSupport,
    must: 'must be a mail address, such as help@shop.example, or an https:// URL, of at most 200 characters',
  },
  guide: {
    parse: readGuide,
    must: 'must be an https:// URL of at most 200 characters, or none to hide the ways to get USDC',
  },
} as const satisfies Record<string, Rule>

/** The database refuses a zero character, and the command line prints a line per row with tabs between columns. */
function readName(text: string): string | null {
  const name = text.trim()
  if (name.length < 1 || name.length > 200 || /[\p{Cc}\p{Cs}]/u.test(name)) return null
  return name
}

/** @returns `#rrggbb` in lower case */
function readAccent(text: string): string | null {
  return /^#[0-9a-f]{6}$/i.test(text) ? text.toLowerCase() : null
}
