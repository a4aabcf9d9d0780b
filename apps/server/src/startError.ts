/** The server cannot start. The message is one sentence that says why and what to do, and is printed without a stack. */
export class StartError extends Error {
  override name = 'StartError'
}
