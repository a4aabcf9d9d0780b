import pg from 'pg'

type Statement = string | { readonly query_timeout?: number }

/**
 * A connection of the pool. If PostgreSQL does not respond to a statement within `query_timeout`, the connection ends,
 * which fails the statement.
 *
 * pg would set a timer for each statement, and replace its callback by one that refers to the statement. V8 then keeps
 * each statement with its rows until the next full garbage collection, which takes a seventh of a read's CPU.
 */
export class PooledClient extends pg.Client {
  readonly #timeoutMs: number
  #timer: NodeJS.Timeout | undefined
  #isWaiting = false

  constructor({ query_timeout = 0, ...config }: pg.ClientConfig = {}) {
    super(config)
    this.#timeoutMs = query_timeout
    this.on('drain', () => {
      this.#isWaiting = false
    })
    this.once('end', () => clearTimeout(this.#timer))
  }

  // biome-ignore lint/suspicious/noExplicitAny: `query` of pg has a dozen signatures
  override query(...args: any[]): any {
    this.#awaitResponse(args[0])
    const query = (...withCallback: unknown[]) => Reflect.apply(super.query, this, withCallback)
    if (typeof args.at(-1) === 'function') return query(...args)
    const result = new Promise((resolve, reject) => {
      query(...args, (error: Error | null, result: unknown) =>
        error ? reject(error) : resolve(result),
      )
    })
    return result.catch((error: Error) => {
      // As pg does: lead to the caller instead of the socket.
      Error.captureStackTrace(error)
      throw error
    })
  }

  /** Starts the timer again. pg itself times a statement that has its own `query_timeout`. */
  #awaitResponse(statement: Statement): void {
    if (this.#timeoutMs === 0 || Object(statement).query_timeout) return
    this.#isWaiting = true
    this.#timer ??= setTimeout(() => this.#endIfSilent(), this.#timeoutMs).unref()
    this.#timer.refresh()
  }

  #endIfSilent(): void {
    if (!this.#isWaiting) return
    const message = `Connection terminated: no response within ${this.#timeoutMs} ms`
    this.connection.stream.destroy(new Error(message))
  }
}
