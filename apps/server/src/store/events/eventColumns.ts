/** The columns of a `StoredEvent`, of events as `e`. */
export const eventColumns =
  'e.id, e.type, e.created_at as "createdAt", e.mode, e.sequence, e.object'
