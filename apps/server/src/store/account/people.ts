import type { Role } from '@payment-intents/contract'
import type { Queryable } from '../connection/connect.ts'

/** A person of a merchant. Times are in Unix milliseconds. */
export type Person = {
  readonly id: string
  readonly merchantId: string
  readonly name: string
  /** The address for alerts and notices; null: none. */
  readonly email: string | null
  readonly role: Role
  readonly createdAt: number
}

export type ListedPerson = Person & {
  readonly lastUsedAt: number | null
  readonly hasSignedIn: boolean
}

const columns = `p.id, p.merchant_id as "merchantId", p.name, p.email, p.role,
  (extract(epoch from p.created_at) * 1000)::float8 as "createdAt"`

/** Serializes changes of a merchant's people, so that two owners cannot remove each other. */
export async function lockPeople(db: Queryable, merchantId: string): Promise<void> {
  await db.query({
    name: 'lock-people',
    text: 'select from merchants where id = $1 for no key update',
    values: [merchantId],
  })
}

export async function insertPerson(db: Queryable, person: Person): Promise<void> {
  await db.query({
    name: 'insert-person',
    text: `
      insert into people (id, merchant_id, name, email, role, created_at)
      values ($1, $2, $3, $4, $5, to_timestamp($6::float8 / 1000))`,
    values: [
      person.id,
      person.merchantId,
      person.name,
      person.email,
      person.role,
      person.createdAt,
    ],
  })
}

/** The people who may sign in, oldest first. */
export async function listPeople(db: Queryable, merchantId: string): Promise<ListedPerson[]> {
  const { rows } = await db.query<ListedPerson>({
    name: 'list-people',
    text: `
      select ${columns},
        (select (extract(epoch from max(s.last_used_at)) * 1000)::float8 from sessions s where s.person_id = p.id)
          as "lastUsedAt",
        exists (select from sessions s where s.person_id = p.id) as "hasSignedIn"
      from people p where p.merchant_id = $1 and p.removed_at is null order by p.id`,
    values: [merchantId],
  })
  return rows
}

export async function updatePerson(
  db: Queryable,
  { id, name, email, role }: Pick<Person, 'id' | 'name' | 'email' | 'role'>,
): Promise<void> {
  await db.query({
    name: 'update-person',
    text: 'update people set name = $2, email = $3, role = $4 where id = $1',
    values: [id, name, email, role],
  })
}

/**
 * Removes a person with their sessions, links and passkeys.
 * @param at Unix milliseconds
 */
export async function removePerson(db: Queryable, id: string, at: number): Promise<void> {
  await db.query({
    name: 'remove-person',
    text: `
      with ended as (
        update sessions set revoked_at = to_timestamp($2::float8 / 1000) where person_id = $1 and revoked_at is null
      ), unlinked as (
        delete from sign_in_links where person_id = $1
      ), unkeyed as (
        delete from passkeys where person_id = $1
      )
      update people set removed_at = to_timestamp($2::float8 / 1000) where id = $1`,
    values: [id, at],
  })
}

/** Finds an open merchant; null: it does not exist, or was closed. */
export async function findOpenMerchant(
  db: Queryable,
  merchantId: string,
): Promise<{ readonly id: string; readonly name: string } | null> {
  const { rows } = await db.query<{ id: string; name: string }>({
    name: 'find-open-merchant',
    text: 'select id, name from merchants where id = $1 and closed_at is null',
    values: [merchantId],
  })
  return rows[0] ?? null
}

export { columns as personColumns }
