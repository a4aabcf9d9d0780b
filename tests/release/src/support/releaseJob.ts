import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fetchModule } from '../../../../scripts/fetch/fetchModule.ts'
import { type Options, run } from './commands.ts'
import { commit } from './copyRepository.ts'

type Step = {
  readonly uses?: string
  readonly run?: string
  readonly if?: string
  readonly with?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
}
type Workflow = { readonly jobs: { readonly release: { readonly steps: readonly Step[] } } }
type Secrets = Readonly<Record<string, string>>

/** Steps that prepare GitHub's machine; here it is the folder and `PATH` of the options. */
const preparation = /^actions\/(checkout|setup-node)@/
const published = "steps.changesets.outputs.published == 'true'"

/** The release workflow of a repository: its own commands, each with its own variables. */
export async function readReleaseJob(options: Options, secrets: Secrets) {
  const yaml = await fetchModule<{ parse(text: string): Workflow }>('registry', 'yaml')
  const path = join(options.cwd, '.github/workflows/release.yml')
  const text = await readFile(path, 'utf8')
  const { steps } = yaml.parse(text).jobs.release
  const place = steps.findIndex(({ uses }) => uses?.startsWith('changesets/action@'))
  const action = steps[place]
  // Version 1 looks for tags in the output of the command, which prints none from its version 3 on.
  if (!action || !/uses: changesets\/action@[0-9a-f]{40} # v2\./.test(text))
    throw new Error('No step uses changesets/action of version 2.')
  const scripts = action.with ?? {}
  const output = join(options.cwd, '../changesets.ndjson')

  async function runAll(some: readonly Step[]) {
    for (const step of some) {
      const isExpected = step.run !== undefined || preparation.test(step.uses ?? '')
      if (!isExpected || (step.if && step.if !== published))
        throw new Error(`Cannot rehearse ${JSON.stringify(step)}.`)
      if (step.run) await runLine(step.run, step)
    }
  }
  function runLine(line = 'false', { env }: Step, overrides: Record<string, string> = {}) {
    const variables = { ...options.env, ...resolve(env, secrets), ...overrides }
    return run(line, { ...options, env: variables })
  }
  return {
    /** Makes the pull request "Version Packages", and merges it. */
    async version() {
      await runLine(scripts['version-script'], action)
      await commit('Version Packages', options)
    },
    /** Everything before the packages are published. */
    prepare: () => runAll(steps.slice(0, place)),
    /** @returns the tags by which the workflow knows that something was published */
    async publish(overrides: Record<string, string> = {}): Promise<string[]> {
      await rm(output, { force: true })
      await runLine(scripts['publish-script'], action, { ...overrides, CHANGESETS_OUTPUT: output })
      return ((await readFile(output, 'utf8')).match(/(?<="tag":")[^"]+/g) ?? []).toSorted()
    },
    /** Everything after that. */
    finish: () => runAll(steps.slice(place + 1)),
  }
}

function resolve(env: Step['env'] = {}, secrets: Secrets): Record<string, string> {
  const entries = Object.entries(env).map(([name, value]) => {
    const [, secret] = /^\$\{\{ secrets\.(\w+) \}\}$/.exec(value) ?? []
    const resolved = secret ? secrets[secret] : value
    if (resolved === undefined || resolved.includes('${{')) throw new Error(`No ${value} here.`)
    return [name, resolved]
  })
  return Object.fromEntries(entries)
}
