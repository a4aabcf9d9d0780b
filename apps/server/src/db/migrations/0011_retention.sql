-- What is over is deleted after a while.

-- Each metadata row is written with its intent and deleted with it. The constraint had no index to look an intent's rows up
-- by, and cost every creation a check.
alter table payment_intent_metadata drop constraint payment_intent_metadata_intent_id_fkey;

-- Those that may go, oldest first. An intent comes in when it ends.
create index payment_intents_unpaid on payment_intents (id)
  where status in ('expired', 'canceled') and amount_received_units = 0;

-- What is deleted in the course of an hour makes room for what is written in the next.
alter table events set (autovacuum_vacuum_scale_factor = 0.02);
alter table webhook_deliveries set (autovacuum_vacuum_scale_factor = 0.02);
alter table idempotency_keys set (autovacuum_vacuum_scale_factor = 0.02);
alter table payment_intents set (autovacuum_vacuum_scale_factor = 0.02);
alter table payment_intent_metadata set (autovacuum_vacuum_scale_factor = 0.02);
