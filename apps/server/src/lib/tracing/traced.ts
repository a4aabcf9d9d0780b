/** Names are OpenTelemetry's semantic conventions, or begin with `payment_intents.`. Values are never secret. */
type Attributes = Readonly<Record<string, string | number | boolean>>

export type SpanStart = {
  /** A name from a small set, since it groups spans. */
  readonly name: string
  /** `client`: a call to another system. */
  readonly kind: 'internal' | 'client'
  readonly attributes: Attributes
}

/** Adds attributes at the end of the work; `error`: the work failed without throwing. */
export type Note = (attributes: Attributes, error?: string) => void

/** Runs work as a span of a trace, which `start` describes. */
export type Traced = <Result>(
  start: () => SpanStart,
  work: (note: Note) => Promise<Result>,
) => Promise<Result>

/** Runs work as a span whose start is already known. */
export type TracedWork = <Result>(work: (note: Note) => Promise<Result>) => Promise<Result>

export const untraced: Traced = (_start, work) => work(ignore)
export const untracedWork: TracedWork = (work) => work(ignore)

function ignore(): void {}
