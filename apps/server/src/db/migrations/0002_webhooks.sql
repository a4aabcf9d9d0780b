-- Where a merchant's events are posted to. The signing secret is derived from the id and its version.
create table webhook_endpoints (
  id text collate "C" primary key,
  merchant_id text collate "C" not null references merchants,
  mode text not null check (mode in ('testnet', 'mainnet')),
  url text not null,
  description text not null,
  -- null: every type.
  enabled_events text[],
  -- Why it gets nothing; null while it is enabled.
  disabled_reason text check (disabled_reason in ('merchant', 'gone', 'failing')),
  secret_version integer not null default 1,
  -- Until when deliveries are signed with the secret of the version before, too.
  previous_secret_until timestamptz,
  -- Since when nothing has got through; null when the latest attempt did.
  failing_since timestamptz,
  created_at timestamptz not null
);
create index webhook_endpoints_merchant on webhook_endpoints (merchant_id, mode, id);

-- One event on its way to one endpoint; written with the event, in its transaction.
create table webhook_deliveries (
  -- No foreign key: an event must be written even while its endpoint is being deleted.
  endpoint_id text collate "C" not null,
  event_id text collate "C" not null references events,
  attempts integer not null default 0,
  -- When it is to be tried next; null when it got through or was given up.
  due_at timestamptz,
  -- A server process is trying it until then at the latest.
  claimed_until timestamptz,
  last_attempt_at timestamptz,
  response_status integer,
  error text,
  delivered_at timestamptz,
  primary key (endpoint_id, event_id)
);
create index webhook_deliveries_due on webhook_deliveries (endpoint_id, due_at)
  where due_at is not null;
create index webhook_deliveries_event on webhook_deliveries (event_id);

-- An event may be about an endpoint too, which may be gone by the time it is read.
alter table events add column endpoint_id text collate "C";
alter table events drop constraint events_check;
alter table events add constraint events_subject
  check (num_nonnulls(intent_id, transfer_id, endpoint_id) = 1);
create unique index events_endpoint_sequence on events (endpoint_id, sequence)
  where endpoint_id is not null;
