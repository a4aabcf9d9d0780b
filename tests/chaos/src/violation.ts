/** Numbered as in docs/faults.md, which has no number for `unsettled`. */
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
