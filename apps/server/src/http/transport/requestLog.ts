import type { FastifyBaseLogger } from 'fastify'
import type { Bindings, ChildLoggerOptions, Logger } from 'pino'

type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'

/** The logger of a request, created at its first line: most requests log nothing, and thousands are held at once. */
export class RequestLog implements FastifyBaseLogger {
  readonly #parent: Logger
  readonly #id: string
  #own: Logger | undefined

  constructor(parent: Logger, id: string) {
    this.#parent = parent
    this.#id = id
  }

  get level(): string {
    return this.#parent.level
  }

  get msgPrefix(): string | undefined {
    return this.#parent.msgPrefix
  }

  fatal(...args: unknown[]): void {
    this.#write('fatal', args)
  }

  error(...args: unknown[]): void {
    this.#write('error', args)
  }

  warn(...args: unknown[]): void {
    this.#write('warn', args)
  }

  info(...args: unknown[]): void {
    this.#write('info', args)
  }

  debug(...args: unknown[]): void {
    this.#write('debug', args)
  }

  trace(...args: unknown[]): void {
    this.#write('trace', args)
  }

  silent(): void {}

  child(bindings: Bindings, options?: ChildLoggerOptions): Logger {
    return this.#made().child(bindings, options)
  }

  #write(level: Level, args: unknown[]): void {
    if (!this.#parent.isLevelEnabled(level)) return
    const log = this.#made()
    Reflect.apply(log[level], log, args)
  }

  #made(): Logger {
    this.#own ??= this.#parent.child({ reqId: this.#id })
    return this.#own
  }
}
