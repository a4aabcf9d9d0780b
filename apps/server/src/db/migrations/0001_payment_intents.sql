-- Identifiers are ordered by time; the C collation keeps that order in indexes.
-- Addresses and hashes are lower-case hexadecimal text; amounts are the token's smallest units.

create table merchants (
  id text collate "C" primary key,
  name text not null,
  default_chain text check (default_chain in ('base', 'polygon')),
  created_at timestamptz not null default now(),
  closed_at timestamptz
);

create table merchant_wallets (
  merchant_id text collate "C" not null references merchants,
  mode text not null check (mode in ('testnet', 'mainnet')),
  chain text not null check (chain in ('base', 'polygon')),
  address text collate "C" not null check (address ~ '^0x[a-f0-9]{40}$'),
  primary key (merchant_id, mode, chain)
);
create index merchant_wallets_address on merchant_wallets (address);

-- A merchant with rows here can name no other recipients in a request.
create table allowed_wallets (
  merchant_id text collate "C" not null references merchants,
  address text collate "C" not null check (address ~ '^0x[a-f0-9]{40}$'),
  primary key (merchant_id, address)
);

-- The key itself is shown once and never stored; `hint` is its prefix and last four characters.
create table api_keys (
  id text collate "C" primary key,
  merchant_id text collate "C" not null references merchants,
  mode text not null check (mode in ('testnet', 'mainnet')),
  hash bytea not null unique,
  hint text not null,
  created_at timestamptz not null default now(),
  revoked_at timestamptz
);

create table payment_intents (
  id text collate "C" primary key,
  merchant_id text collate "C" not null references merchants,
  mode text not null,
  chain text not null,
  chain_id integer not null,
  token_address text collate "C" not null,
  expected_wallet text collate "C" not null,
  amount_units bigint not null check (amount_units > 0),
  payable_amount_units bigint not null check (payable_amount_units >= amount_units),
  -- No distinct amount was left: only a transfer that carries the reference is this intent's.
  reference_only boolean not null,
  payment_reference text collate "C" not null unique,
  salt text collate "C" not null,
  confirmations_required integer not null check (confirmations_required > 0),
  lane text not null,
  -- JSON text exactly as the merchant sent it.
  metadata text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  expires_in_minutes integer not null,

  status text not null check (
    status in ('requires_payment', 'pending_confirmations', 'succeeded', 'expired', 'canceled')
  ),
  version integer not null,
  sequence integer not null,
  amount_received_units numeric(78, 0) not null,
  -- What the merchant agreed to settle for, when that is not the amount itself.
  accepted_units numeric(78, 0),
  confirmations integer not null,
  tx_hash text collate "C",
  exceptions text[] not null
);

-- What a tick must look at: open intents by deadline, those waiting for depth, and what the chain took back.
create index payment_intents_open on payment_intents (chain_id, expires_at)
  where status = 'requires_payment';
create index payment_intents_pending on payment_intents (chain_id)
  where status = 'pending_confirmations';
create index payment_intents_open_since on payment_intents (chain_id, created_at)
  where status in ('requires_payment', 'pending_confirmations');
create index payment_intents_reversed on payment_intents (chain_id)
  where status = 'succeeded' and 'reorged' = any (exceptions);
-- Whose wallet an unmatched transfer went to.
create index payment_intents_wallet on payment_intents (expected_wallet, created_at);
-- Lists of a merchant's own intents, newest first.
create index payment_intents_merchant on payment_intents (merchant_id, mode, id);
create index payment_intents_status on payment_intents (merchant_id, mode, status, id);

-- The strings, numbers and booleans at the top level of an intent's metadata, each with its key as one hash.
-- Hashed because metadata may hold what no text column can: NUL, halves of surrogate pairs, any length.
create table payment_intent_metadata (
  merchant_id text collate "C" not null,
  mode text not null,
  entry bytea not null,
  intent_id text collate "C" not null references payment_intents,
  primary key (merchant_id, mode, entry, intent_id)
);

-- Each amount that a payer may be asked for at a wallet belongs to one intent until its late window ends,
-- by the chain's clock.
create table payable_reservations (
  chain_id integer not null,
  wallet text collate "C" not null,
  payable_amount_units bigint not null,
  intent_id text collate "C" not null,
  -- A transfer from before the intent existed is not for it: the first block that counts, or where nobody
  -- followed the chain, the first timestamp of a block.
  since_block bigint,
  since timestamptz,
  until timestamptz not null,
  made_at timestamptz not null default now(),
  primary key (chain_id, wallet, payable_amount_units),
  check (num_nonnulls(since_block, since) = 1)
);
create index payable_reservations_since_block on payable_reservations (chain_id, since_block)
  where since_block is not null;
create index payable_reservations_until on payable_reservations (chain_id, until);

-- Accounts that said they are about to pay a reference-only intent.
create table announced_payers (
  intent_id text collate "C" not null references payment_intents,
  payer text collate "C" not null,
  primary key (intent_id, payer)
);
create index announced_payers_payer on announced_payers (payer);

create table idempotency_keys (
  merchant_id text collate "C" not null references merchants,
  mode text not null,
  route text not null,
  key text collate "C" not null,
  request_hash bytea not null,
  -- The answer without its client secret, which is derived again for a replay.
  response text,
  created_at timestamptz not null default now(),
  primary key (merchant_id, mode, route, key)
);
create index idempotency_keys_created_at on idempotency_keys (created_at);

-- One row a chain. Every write that follows from reading the chain is made by the holder of the
-- newest epoch, in a transaction that checks it.
create table chain_cursors (
  chain_id integer primary key,
  epoch bigint not null default 0,
  lease_until timestamptz not null default '-infinity',
  -- Every block up to this one has been read; its timestamp is the clock of all deadlines on this chain.
  scanned_to bigint,
  scanned_timestamp bigint,
  scanned_at timestamptz,
  -- The newest block at that time.
  head bigint
);

create table chain_blocks (
  chain_id integer not null,
  number bigint not null,
  hash text collate "C" not null,
  parent_hash text collate "C" not null,
  timestamp bigint not null,
  primary key (chain_id, number)
);

-- Wallets whose incoming transfers are read, from blocks of `since` until the chain's clock passes `until`.
create table watched_wallets (
  chain_id integer not null,
  wallet text collate "C" not null,
  since timestamptz not null,
  until timestamptz not null,
  -- The transaction that added it: a reader asks for what its last snapshot did not show.
  written xid8 not null default pg_current_xact_id(),
  primary key (chain_id, wallet)
);
create index watched_wallets_until on watched_wallets (chain_id, until);
create index watched_wallets_since on watched_wallets (chain_id, since);
create index watched_wallets_written on watched_wallets (written);

create table transfers (
  id text collate "C" primary key,
  chain_id integer not null,
  block_number bigint not null,
  block_hash text collate "C" not null,
  block_timestamp bigint not null,
  tx_hash text collate "C" not null,
  log_index integer not null,
  sender text collate "C" not null,
  wallet text collate "C" not null,
  token_address text collate "C" not null,
  amount_units numeric(78, 0) not null,
  -- Whose wallet it went to; null while nobody's that we know.
  merchant_id text collate "C" references merchants,
  mode text,
  intent_id text collate "C" references payment_intents,
  -- Which rule of the binding order credited it; null while it is unmatched.
  bound_by text check (bound_by in ('assignment', 'reference', 'address', 'payable_amount')),
  -- Why it is unmatched; null while it is credited.
  reason text,
  orphaned boolean not null default false,
  seen_at timestamptz not null default now(),
  check ((intent_id is null) = (bound_by is null)),
  unique (chain_id, block_hash, log_index)
);
-- The credit key: a log of the canonical chain counts once, ever.
create unique index transfers_credit on transfers (chain_id, tx_hash, log_index) where not orphaned;
create index transfers_block on transfers (chain_id, block_number) where not orphaned;
create index transfers_intent on transfers (intent_id) where intent_id is not null;
create index transfers_tx on transfers (chain_id, tx_hash);
create index transfers_merchant on transfers (merchant_id, mode, id);
create index transfers_unmatched on transfers (merchant_id, mode, id) where intent_id is null;

-- About an intent, or about a transfer that belongs to none.
create table events (
  id text collate "C" primary key,
  merchant_id text collate "C" not null references merchants,
  mode text not null,
  type text not null,
  intent_id text collate "C" references payment_intents,
  transfer_id text collate "C" unique references transfers,
  -- 1, 2, 3 … within an intent, without a gap.
  sequence integer not null,
  created_at timestamptz not null default now(),
  -- JSON text of `data.object`.
  object text not null,
  -- The order in which rows were written, which is not the one in which they were committed.
  written bigint generated always as identity,
  -- A merchant's events in the order in which they can be read, from 1; given once they are committed.
  position bigint,
  unique (intent_id, sequence),
  check (num_nonnulls(intent_id, transfer_id) = 1)
);
create unique index events_position on events (merchant_id, mode, position) include (created_at)
  where position is not null;
create index events_type on events (merchant_id, mode, type, position) where position is not null;
create index events_unnumbered on events (merchant_id, mode, written) where position is null;
