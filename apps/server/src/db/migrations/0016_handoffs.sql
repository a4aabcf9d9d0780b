-- Links that hand a checkout to another browser, the sessions of the hosted page, and where that page may lead back to.
-- Tokens are stored as SHA-256 hashes only.

create table handoff_tokens (
  hash bytea primary key,
  intent_id text collate "C" not null references payment_intents on delete cascade,
  -- Checked when it was handed in; null: none.
  return_url text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index handoff_tokens_intent on handoff_tokens (intent_id, created_at);
create index handoff_tokens_expires on handoff_tokens (expires_at);

create table checkout_sessions (
  hash bytea primary key,
  intent_id text collate "C" not null references payment_intents on delete cascade,
  return_url text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index checkout_sessions_intent on checkout_sessions (intent_id, created_at);
create index checkout_sessions_expires on checkout_sessions (expires_at);

-- Rows come and go within a day.
alter table handoff_tokens set (autovacuum_vacuum_scale_factor = 0.02);
alter table checkout_sessions set (autovacuum_vacuum_scale_factor = 0.02);

create table return_origins (
  merchant_id text collate "C" not null references merchants,
  -- Scheme, host and port, as browsers write it.
  origin text collate "C" not null,
  primary key (merchant_id, origin)
);
