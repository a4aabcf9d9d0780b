-- Lists of a merchant's own objects, newest first.
create index payment_intents_merchant on payment_intents (merchant_id, mode, id);
create index payment_intents_status on payment_intents (merchant_id, mode, status, id);
create index transfers_unmatched on transfers (merchant_id, mode, id) where intent_id is null;

-- The strings, numbers and booleans at the top level of an intent's metadata, each with its key as one hash.
-- Hashed because metadata may hold what no text column can: NUL, halves of surrogate pairs, any length.
create table payment_intent_metadata (
  merchant_id text collate "C" not null,
  mode text not null,
  entry bytea not null,
  intent_id text collate "C" not null references payment_intents,
  primary key (merchant_id, mode, entry, intent_id)
);

alter table events
  -- The order in which rows were written, which is not the one in which they were committed.
  add column written bigint generated always as identity,
  -- A merchant's events in the order in which they can be read, from 1; given once they are committed.
  add column position bigint;
create unique index events_position on events (merchant_id, mode, position) include (created_at)
  where position is not null;
create index events_type on events (merchant_id, mode, type, position) where position is not null;
create index events_unnumbered on events (merchant_id, mode, written) where position is null;
