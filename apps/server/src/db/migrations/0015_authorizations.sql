-- Authorizations (EIP-3009) that payers handed in, and the transactions that relayers submitted for them.
-- Addresses, hashes, nonces and signatures are lower-case hexadecimal text.

create table authorizations (
  id text collate "C" primary key,
  intent_id text collate "C" not null references payment_intents,
  chain_id integer not null,
  token_address text collate "C" not null,
  authorizer text collate "C" not null,
  recipient text collate "C" not null,
  amount_units bigint not null,
  -- Unix seconds: the token takes it in blocks after `valid_after` and before `valid_before`.
  valid_after bigint not null,
  valid_before bigint not null,
  nonce text collate "C" not null,
  signature text collate "C" not null,
  source text not null check (source in ('checkout', 'x402')),
  -- in_flight: it may still move money, so nothing else is taken for its intent.
  status text not null check (status in ('in_flight', 'used', 'refused', 'expired')),
  reason text,
  -- The transaction it was last submitted in.
  tx_hash text collate "C",
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  -- The token takes each nonce of an account once.
  unique (chain_id, authorizer, nonce)
);
create unique index authorizations_live on authorizations (intent_id) where status = 'in_flight';
create index authorizations_intent on authorizations (intent_id, id);
-- What an account has promised already.
create index authorizations_in_flight on authorizations (chain_id, authorizer)
  where status = 'in_flight';
-- What a relayer has to look at, and whose time is over.
create index authorizations_valid_before on authorizations (chain_id, valid_before)
  where status = 'in_flight';
-- What the chain takes back.
create index authorizations_tx on authorizations (chain_id, tx_hash) where status = 'used';

-- The right to submit for a chain. Taking it over raises the epoch, which ends it for earlier holders.
create table relayer_leases (
  chain_id integer primary key,
  epoch bigint not null default 0,
  lease_until timestamptz not null default '-infinity'
);

-- Each is written before it is sent. Several of one nonce replace each other: one of them at most is mined.
create table relayer_transactions (
  chain_id integer not null,
  tx_hash text collate "C" not null,
  relayer text collate "C" not null,
  nonce bigint not null,
  -- null: an empty transaction, whose nonce others wait for; or its authorization was deleted with its intent.
  authorization_id text collate "C" references authorizations on delete set null,
  raw text collate "C" not null,
  gas_limit bigint not null,
  max_fee_per_gas numeric(78, 0) not null,
  max_priority_fee_per_gas numeric(78, 0) not null,
  created_at timestamptz not null default now(),
  -- mined: in a block that may be replaced yet; dropped: another transaction has its nonce for good.
  state text not null default 'pending' check (state in ('pending', 'mined', 'final', 'dropped')),
  -- From its receipt, on the canonical chain; null while it has none.
  block_number bigint,
  succeeded boolean,
  -- Wei, with what a rollup charges for its data.
  cost numeric(78, 0),
  primary key (chain_id, tx_hash)
);
create index relayer_transactions_nonce on relayer_transactions (chain_id, relayer, nonce);
create index relayer_transactions_authorization on relayer_transactions (authorization_id);
create index relayer_transactions_outstanding on relayer_transactions (chain_id)
  where state in ('pending', 'mined');
-- Whose are too many of a day.
create index relayer_transactions_reverted on relayer_transactions (chain_id, created_at)
  where succeeded = false;
-- What a day has cost.
create index relayer_transactions_created on relayer_transactions (chain_id, created_at);
