/** SQL of the columns of a `StoredEvent`, from `events e`. */
export const eventColumns =
  'e.id, e.type, e.created_at as "createdAt", e.mode, e.sequence, e.object'
