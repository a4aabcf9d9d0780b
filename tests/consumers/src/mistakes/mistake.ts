/** A mistake that a shop's developer makes, as code that is run. */
export type Mistake = {
  readonly mistake: string
  readonly code: string
  /** The subject, which the message names. */
  readonly about: string
}

/** What a developer sees: where it comes from, such as an error's name and code, and the message. */
export type Message = { readonly from: string; readonly message: string }
