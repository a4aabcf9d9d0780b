/** Names of OpenTelemetry's semantic conventions; our own begin with `payment_intents.`. Never a secret. */
type Attributes = Readonly<Record<string, string | number | boolean>>

export type SpanStart = {
  /** From a small set of values: the name groups spans. */
  readonly name: string
  /** `client`: something else does the work. */
  readonly kind: 'internal' | 'client'
  readonly attributes: Attributes
}

/** Attributes that are known by the end of the work; `error` of work that did not throw, and yet failed. */
export type Note = (attributes: Attributes, error?: string) => void

/** Does work as one span of a trace, which `start` describes. */
export type Traced = <Result>(
  start: () => SpanStart,
  work: (note: Note) => Promise<Result>,
) => Promise<Result>

/** The same, of a span that is described already. */
export type TracedWork = <Result>(work: (note: Note) => Promise<Result>) => Promise<Result>

/** Without tracing, work is just done. */
export const untraced: Traced = (_start, work) => work(ignore)
export const untracedWork: TracedWork = (work) => work(ignore)

function ignore(): void {}
