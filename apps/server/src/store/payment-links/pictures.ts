import type { Picture } from '@payment-intents/core'
import type { Queryable } from '../connection/connect.ts'

export async function setPicture(
  db: Queryable,
  linkId: string,
  { hash, type, content }: Picture,
): Promise<void> {
  await db.query({
    name: 'set-link-picture',
    text: `
      insert into payment_link_pictures (link_id, hash, type, content) values ($1, $2, $3, $4)
      on conflict (link_id) do update
        set hash = excluded.hash, type = excluded.type, content = excluded.content`,
    values: [linkId, hash, type, content],
  })
}

export async function removePicture(db: Queryable, linkId: string): Promise<void> {
  await db.query({
    name: 'remove-link-picture',
    text: 'delete from payment_link_pictures where link_id = $1',
    values: [linkId],
  })
}

/** Finds a picture by its hash. Several links may have it. */
export async function findPicture(
  db: Queryable,
  hash: string,
): Promise<Pick<Picture, 'type' | 'content'> | null> {
  const { rows } = await db.query<Pick<Picture, 'type' | 'content'>>({
    name: 'find-link-picture',
    text: 'select type, content from payment_link_pictures where hash = $1 limit 1',
    values: [hash],
  })
  return rows[0] ?? null
}
