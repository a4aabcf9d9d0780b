/**
 * The recursive query `waiting`: the endpoints with a due delivery, found one by one in the index, skipping all
 * deliveries of the same endpoint. Its last row is null.
 */
export const waitingEndpoints = `
  waiting (endpoint_id) as (
    (select endpoint_id from webhook_deliveries where due_at is not null
      order by endpoint_id limit 1)
    union all
    select (
      select d.endpoint_id from webhook_deliveries d
      where d.due_at is not null and d.endpoint_id > waiting.endpoint_id
      order by d.endpoint_id limit 1
    ) from waiting where waiting.endpoint_id is not null
  )`
