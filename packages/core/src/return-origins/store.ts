import type { Actor } from '../service.ts'

/** An origin to which the pages of a merchant may return. */
export type StoredReturnOrigin = {
  readonly id: string
  readonly origin: string
  readonly createdAt: Date
}

export type ReturnOriginStore = {
  /** In alphabetical order. */
  list(actor: Actor): Promise<readonly StoredReturnOrigin[]>
  /** @returns the existing entry of the origin, if any */
  insert(
    actor: Actor,
    origin: StoredReturnOrigin,
    limit: number,
  ): Promise<StoredReturnOrigin | 'too_many'>
  /** @returns whether it existed */
  delete(actor: Actor, id: string): Promise<boolean>
}
