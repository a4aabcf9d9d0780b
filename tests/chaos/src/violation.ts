/** By their numbers in docs/faults.md. That everything came to its end is none of them. */
export type Invariant =
  | 'I1'
  | 'I2'
  | 'I3'
  | 'I4'
  | 'I5'
  | 'I6'
  | 'I7'
  | 'I8'
  | 'I9'
  | 'I10'
  | 'unsettled'

export type Violation = { readonly invariant: Invariant; readonly about: string }
