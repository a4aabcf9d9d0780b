/** The names of the options of a call. With `satisfies` or as a type, a missing or surplus name fails to compile. */
export type OptionNames<Options> = { readonly [Name in keyof Options]-?: true }

type OptionIssue = {
  /** The unknown name; empty when it is not an object of options, or the name may hold a secret. */
  readonly path: string
  /** A sentence. */
  readonly message: string
}

/** An API key or a client secret, which may be in the wrong place, is longer. */
const printable = /^(?!sk_|whsec_)[\w-]{1,40}$/
const maxIssues = 20

/**
 * Finds unknown names in an object of options: a misspelt option would otherwise be ignored. Only own names count: an
 * instance of a class may inherit methods.
 * @param noun for a name, such as `option`
 */
export function optionIssues(
  options: unknown,
  names: Readonly<Record<string, true>>,
  noun = 'option',
): OptionIssue[] {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    return [notAnObject(options, names, noun)]
  }
  const optionNames = Object.keys(options)
  // A `Map`, an `AbortSignal` or a promise holds no options. The tag is the same in every realm.
  if (optionNames.length === 0 && tagOf(options) !== 'Object')
    return [notAnObject(options, names, noun)]
  const unknown = optionNames.filter((name) => names[name] !== true).slice(0, maxIssues)
  return unknown.map((name) => ({
    path: printable.test(name) ? name : '',
    message: unknownName(noun, name, Object.keys(names)),
  }))
}

/**
 * A sentence about the first unknown long flag of a command line.
 * @param names without dashes
 * @param of the command, if the flags belong to one command
 */
export function flagIssue(
  args: readonly string[],
  names: readonly string[],
  of = '',
): string | undefined {
  const end = args.indexOf('--')
  for (const arg of end < 0 ? args : args.slice(0, end)) {
    const [, name] = /^--([^=]+)/.exec(arg) ?? []
    if (name !== undefined && !names.includes(name)) {
      return unknownName('option', name, names, { dashes: '--', of: of && ` of ${of}` })
    }
  }
  return undefined
}

function unknownName(
  noun: string,
  name: string,
  names: readonly string[],
  { dashes = '', of = '' } = {},
): string {
  const isPrintable = printable.test(name)
  const quoted = (text: string) => `\`${dashes}${text}\``
  const nearest = isPrintable ? nearestName(name, names) : undefined
  const advice =
    nearest === undefined
      ? `Known are ${names.map(quoted).join(', ')}.`
      : `Did you mean ${quoted(nearest)}?`
  return `Unknown ${noun}${isPrintable ? ` ${quoted(name)}` : ''}${of}. ${advice}`
}

function notAnObject(
  value: unknown,
  names: Readonly<Record<string, true>>,
  noun: string,
): OptionIssue {
  const type = value === null ? 'null' : typeof value
  const kind = type === 'object' ? tagOf(value) : type
  const [example = ''] = Object.keys(names)
  const message = `Pass ${noun}s as an object, such as { ${example}: … }; received ${kind}.`
  return { path: '', message }
}

function tagOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1)
}

/** The closest known name, ignoring case and separators; undefined if none is close. */
export function nearestName(written: string, names: readonly string[]): string | undefined {
  const plain = simplified(written)
  let nearest: string | undefined
  let minDistance = Number.POSITIVE_INFINITY
  for (const name of names) {
    const simplifiedName = simplified(name)
    const distance = editDistance(plain, simplifiedName)
    const [short, long] =
      simplifiedName.length < plain.length ? [simplifiedName, plain] : [plain, simplifiedName]
    const isPart = short.length >= 3 && long.includes(short)
    const isClose = isPart || distance <= Math.max(1, Math.floor(simplifiedName.length / 3))
    if (isClose && distance < minDistance) [nearest, minDistance] = [name, distance]
  }
  return nearest
}

function simplified(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}

/** How many letters differ, are missing, surplus or swapped with the next (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  const rows = [[0]]
  const at = (i: number, j: number) => rows[i]?.[j] ?? a.length + b.length
  for (let i = 0; i <= a.length; i++) {
    rows[i] ??= []
    for (let j = i ? 0 : 1; j <= b.length; j++) {
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      ;(rows[i] as number[])[j] = Math.min(
        at(i - 1, j) + 1,
        at(i, j - 1) + 1,
        at(i - 1, j - 1) + Number(a[i - 1] !== b[j - 1]),
        isSwapped ? at(i - 2, j - 2) + 1 : Infinity,
      )
    }
  }
  return at(a.length, b.length)
}
