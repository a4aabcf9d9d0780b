-- Each of these checks cost every creation a query and a lock of the merchant's row. An idempotency key is written for the
-- merchant of an API key; an event is about an intent or a transfer, which has the same merchant. No merchant is ever deleted.
alter table idempotency_keys drop constraint idempotency_keys_merchant_id_fkey;
alter table events drop constraint events_merchant_id_fkey;
