import { chainNames } from '@payment-intents/contract'
import { editDistance } from '@payment-intents/contract/options'
import type { Env } from './variables.ts'

/** An environment variable that the server does not read, with the closest name that it does. */
export type UnknownVariable = {
  /** `possible`: it may be another program's. */
  readonly certainty: 'certain' | 'possible'
  readonly name: string
  readonly closest: string
}

/** No other program has variables with these prefixes. */
const serverPrefix = new RegExp(
  `^(CONFIRMATIONS|DEVELOPMENT_CHAIN|RELAYER_|RESOLVES_PER|RPC_URL_(${chainNames.join('|').toUpperCase()})_|SERVER_SECRET|WEBHOOK_ALLOW)`,
)
/** Kubernetes sets these for each service, perhaps for a service called "confirmations". */
const ofKubernetes = /_(SERVICE_(HOST|PORT)(_.*)?|PORT(_\d+_(TCP|UDP)(_.*)?)?)$/
/** Shorter names are close to too many words. */
const minimumLength = 8
/** The maximum of letters by which a longer name may differ. */
const maxDistance = 2

/** Finds variables that are probably meant for this server, but that it does not read. */
export function findUnknownVariables(env: Env, names: readonly string[]): UnknownVariable[] {
  return Object.keys(env)
    .filter((name) => env[name] && !names.includes(name) && !ofKubernetes.test(name))
    .flatMap((name): UnknownVariable[] => {
      const written = name.toUpperCase().replaceAll(/[-.]/g, '_')
      const sameStem = names.filter((variable) => hasStemOf(written, variable))
      const hasServerPrefix = serverPrefix.test(written)
      const candidates = sameStem.length
        ? sameStem
        : names.filter((variable) => hasServerPrefix || mayBeNear(written, variable))
      const [closest = '', distance = Infinity] = closestName(written, candidates)
      const isNear =
        closest.length >= minimumLength && distance <= (closest.length < 10 ? 1 : maxDistance)
      // Without DATABASE_URL the server would create its own database, and accept payments there.
      const matters = serverPrefix.test(closest) || (closest === 'DATABASE_URL' && !env[closest])
      if (hasServerPrefix || (isNear && matters)) {
        return [{ certainty: 'certain', name, closest }]
      }
      const isLikely = (isNear && !env[closest]) || sameStem.length > 0
      return isLikely ? [{ certainty: 'possible', name, closest }] : []
    })
}

/** A sentence for each. */
export function sentencesOf(unknown: readonly UnknownVariable[]) {
  const sentences = { certain: [] as string[], possible: [] as string[] }
  for (const { certainty, name, closest } of unknown) {
    const [consequence, todo] =
      certainty === 'certain' ? ['', ' Correct its name, or unset it'] : [' and is ignored', '']
    sentences[certainty].push(
      `${name}: is not a variable of this server${consequence}; did you mean ${closest}?${todo}`,
    )
  }
  return sentences
}

/** Whether it starts with the first two words of a name of three: `RPC_URL_…`, `DATABASE_POOL_…`. */
function hasStemOf(written: string, name: string): boolean {
  const [stem] = /^[A-Z]+_[A-Z]+_/.exec(name) ?? []
  return stem !== undefined && written.startsWith(stem)
}

/** Compares lengths first, so that a start is not slowed: most of its environment is other programs' variables. */
function mayBeNear({ length }: string, name: string): boolean {
  return Math.abs(length - name.length) <= maxDistance
}

function closestName(written: string, names: readonly string[]): [string?, number?] {
  const byDistance = names.map((name) => [name, editDistance(written, name)] as const)
  const [closest] = byDistance.sort(([, a], [, b]) => a - b)
  return closest ? [...closest] : []
}
