/**
 * A recursive CTE: `waiting` has the endpoints with queued deliveries. It steps through the index from endpoint to
 * endpoint, past all other deliveries of each. The last row is null.
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
