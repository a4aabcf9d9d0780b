/** A mistake that a shop's developer makes, as code that is run. */
export type Mistake = {
  readonly mistake: string
  readonly code: string
  /** The subject, which the message names. */
  readonly about: string
}

/** A message to a developer. `from` is its source, such as an error's name and code. */
export type Message = { readonly from: string; readonly message: string }
