/** Something that the person at the terminal can act on: its message is all they are told. */
export class Failure extends Error {
  override name = 'Failure'
}
