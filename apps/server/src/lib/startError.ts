/**
 * An error that keeps the server from starting. Its message is a sentence with the reason and what to do; no stack is
 * printed.
 */
export class StartError extends Error {
  override name = 'StartError'
}

/** Converts an error of `listen` to a `StartError`; returns any other error unchanged. */
export function explainListen(error: unknown, at: { host: string; port: number }): unknown {
  const { code = '', message } = error as NodeJS.ErrnoException
  const reason = reasons[code]?.(at)
  return reason ? new StartError(`${reason} (${message})`, { cause: error }) : error
}

const reasons: {
  readonly [code: string]: (at: { host: string; port: number }) => string
} = {
  EADDRINUSE: ({ host, port }) =>
    `PORT: ${host}:${port} is taken by another process; stop that process, or set another port, such as ${another(port)}`,
  EACCES: ({ port }) =>
    `PORT: this user may not listen on ${port}; set a port above 1023, such as 4242`,
  EADDRNOTAVAIL: ({ host }) =>
    `HOST: no network of this machine has the address ${host}; set an address of this machine, or 0.0.0.0 for all`,
  ENOTFOUND: ({ host }) =>
    `HOST: the name ${host} has no address; set an address of this machine, or 0.0.0.0 for all`,
}

function another(port: number): number {
  return port < 65_535 ? port + 1 : port - 1
}
