/** Something that the user at the terminal can act on: only its message is printed. */
export class Failure extends Error {
  override name = 'Failure'
}
