/** Reports an error as an uncaught one. jsdom and old browsers have no `reportError`, which must not hide the error. */
export function report(error: unknown) {
  if (typeof reportError === 'function') reportError(error)
  else
    setTimeout(() => {
      throw error
    })
}
