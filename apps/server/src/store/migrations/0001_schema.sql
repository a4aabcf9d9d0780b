-- Identifiers are ordered by time; the C collation keeps that order in indexes. Addresses, hashes, nonces and signatures are
-- lower-case hexadecimal text; amounts are the token's smallest units. Chains are data of the contract: no check lists them,
-- so that a new chain needs no migration.
--
-- A foreign key costs each insert a query and a lock of the referenced row. Tables that every creation writes have none to
-- `merchants` or `payment_intents`: a row is written for the merchant of an API key, or with its intent, or while the
-- intent's row is locked; no merchant is ever deleted, and retention deletes no intent that has an event.
--
-- Rows of some tables come and go within hours or days: `autovacuum_vacuum_scale_factor` 0.02 makes room for the next.

create table merchants (
  id text collate "C" primary key,
  name text not null,
  -- Where a payer reaches the merchant: a mail address or an https URL.
  support text check (char_length(support) between 1 and 200),
  guide text check (char_length(guide) between 1 and 200),
  default_chain text,
  created_at timestamptz not null default now(),
  closed_at timestamptz
);

create table merchant_wallets (
  merchant_id text collate "C" not null references merchants,
  mode text not null check (mode in ('testnet', 'mainnet')),
  chain text not null,
  address text collate "C" not null check (address ~ '^0x[a-f0-9]{40}$'),
  -- Whether a transfer of exactly an intent's price, without tag or reference, pays that intent. Off, because such a transfer
  -- may be for something else: anybody can open an intent of the price that another customer is about to pay.
  match_plain_price boolean not null default false,
  primary key (merchant_id, mode, chain)
);
create index merchant_wallets_address on merchant_wallets (address);

-- `confirmations_required` of new intents, where a merchant has set their own.
create table merchant_confirmations (
  merchant_id text collate "C" not null references merchants,
  mode text not null check (mode in ('testnet', 'mainnet')),
  chain text not null,
  confirmations_required integer not null check (confirmations_required > 0),
  primary key (merchant_id, mode, chain)
);

-- The only recipients that a merchant's requests may name; a merchant without rows may name any.
create table allowed_wallets (
  merchant_id text collate "C" not null references merchants,
  address text collate "C" not null check (address ~ '^0x[a-f0-9]{40}$'),
  primary key (merchant_id, address)
);
create index allowed_wallets_address on allowed_wallets (address);

-- Wallets that pay refunds, besides those that a merchant is paid at.
create table refund_wallets (
  merchant_id text collate "C" not null references merchants,
  address text collate "C" not null check (address ~ '^0x[a-f0-9]{40}$'),
  primary key (merchant_id, address)
);

-- An address that a request names belongs to the first merchant who named it. `merchant_wallets` and `allowed_wallets`
-- outrank that, and `wallet_proofs` both.
create table wallet_owners (
  mode text not null check (mode in ('testnet', 'mainnet')),
  address text collate "C" not null,
  merchant_id text collate "C" not null references merchants,
  primary key (mode, address)
);

-- Addresses whose key a merchant has shown to hold, by a signature.
create table wallet_proofs (
  merchant_id text collate "C" not null references merchants,
  address text collate "C" not null check (address ~ '^0x[a-f0-9]{40}$'),
  -- The chain on which the account's code accepted the signature (EIP-1271); null: a private key signed, which is one on all.
  chain_id integer,
  -- SHA-256 of the signed message: a message makes one proof.
  nonce_hash bytea not null unique,
  proved_at timestamptz not null
);
create unique index wallet_proofs_address
  on wallet_proofs (address, merchant_id, coalesce(chain_id, 0));
create index wallet_proofs_merchant on wallet_proofs (merchant_id, address);

-- Messages that may be signed to prove a wallet. Each counts once.
create table wallet_proof_nonces (
  -- SHA-256 of the nonce.
  hash bytea primary key,
  merchant_id text collate "C" not null references merchants,
  address text collate "C" not null,
  chain_id integer not null,
  expires_at timestamptz not null
);
create index wallet_proof_nonces_merchant on wallet_proof_nonces (merchant_id, expires_at);

-- The hosted page leads back to these origins only.
create table return_origins (
  id text collate "C" primary key,
  merchant_id text collate "C" not null references merchants,
  -- Scheme, host and port, as browsers write it.
  origin text collate "C" not null,
  created_at timestamptz not null,
  unique (merchant_id, origin)
);

-- How a merchant looks on the hosted page. The logo has an address of its own, by its hash, so that browsers keep it for good.
create table merchant_brands (
  merchant_id text collate "C" primary key references merchants,
  -- #rrggbb in lower case; null: the page's own.
  accent text check (accent ~ '^#[0-9a-f]{6}$'),
  -- SHA-256 of the logo, base64url; null: none.
  logo_hash text collate "C",
  logo_type text check (logo_type in ('image/png', 'image/jpeg', 'image/webp')),
  logo bytea check (octet_length(logo) <= 100000),
  check (num_nulls(logo_hash, logo_type, logo) in (0, 3))
);
create index merchant_brands_logo on merchant_brands (logo_hash);

-- The key itself is shown once and never stored; `hint` is its prefix and last four characters.
create table api_keys (
  id text collate "C" primary key,
  merchant_id text collate "C" not null references merchants,
  mode text not null check (mode in ('testnet', 'mainnet')),
  hash bytea not null unique,
  hint text not null,
  -- In the merchant's words.
  label text not null default '',
  -- `read_only`: for requests that change nothing.
  scope text not null default 'full' check (scope in ('full', 'read_only')),
  created_at timestamptz not null default now(),
  -- To the minute.
  last_used_at timestamptz,
  revoked_at timestamptz
);

-- The people who sign in to a merchant's dashboard. One who was invited has no session yet.
create table people (
  id text collate "C" primary key,
  merchant_id text collate "C" not null references merchants,
  name text not null check (char_length(name) between 1 and 200),
  -- Where alerts and notices go; null: nowhere.
  email text check (char_length(email) between 3 and 254),
  role text not null check (role in ('reader', 'support', 'owner')),
  created_at timestamptz not null,
  removed_at timestamptz
);
create index people_merchant on people (merchant_id, id);

-- Each signs its person in once. An invitation is one that is valid for longer.
create table sign_in_links (
  -- SHA-256 of the token.
  hash bytea primary key,
  person_id text collate "C" not null references people,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index sign_in_links_person on sign_in_links (person_id);

create table sessions (
  id text collate "C" primary key,
  -- SHA-256 of the cookie's value.
  hash bytea not null unique,
  person_id text collate "C" not null references people,
  user_agent text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- When the person last proved who they are, by a sign-in link or a passkey.
  verified_at timestamptz not null,
  -- To the minute.
  last_used_at timestamptz not null,
  revoked_at timestamptz
);
create index sessions_person on sessions (person_id, id);

create table passkeys (
  -- The credential's id, base64url.
  id text collate "C" primary key,
  person_id text collate "C" not null references people,
  public_key bytea not null,
  -- Signatures so far, as the authenticator counts them; 0: it does not.
  counter bigint not null,
  transports text[] not null,
  label text not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index passkeys_person on passkeys (person_id, id);

-- Challenges for passkeys to sign. Each counts once.
create table passkey_challenges (
  challenge text collate "C" primary key,
  -- The session that wants to register or prove a passkey; null: somebody who signs in.
  session_id text collate "C" references sessions,
  expires_at timestamptz not null
);
create index passkey_challenges_expiry on passkey_challenges (expires_at);

-- Actions of people and keys. Invariant: a row is written before the action begins, and completed with its outcome.
create table audit_log (
  id text collate "C" primary key,
  merchant_id text collate "C" not null,
  -- null: of both modes.
  mode text,
  -- Exactly one of the three is set: a session's person, an API key, or `true` for the operator's command line.
  person_id text collate "C",
  api_key_id text collate "C",
  by_operator boolean check (by_operator),
  action text not null,
  -- The object that the action is about.
  subject text collate "C",
  -- JSON text of what was set, without secrets.
  details text not null,
  -- `done`, or the code of the error; null: unknown, since the server ended meanwhile.
  outcome text,
  created_at timestamptz not null,
  check (num_nonnulls(person_id, api_key_id, by_operator) = 1)
);
create index audit_log_merchant on audit_log (merchant_id, id);

-- Servers keep API keys and their merchants in memory, and drop them on this notification.
create function notify_keys_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('keys_changed', '');
  return null;
end
$$;

-- Neither a key's last use nor a new key changes what a server has in memory.
create trigger keys_changed after update of hash, merchant_id, mode, revoked_at or delete or truncate
  on api_keys execute function notify_keys_changed();
create trigger keys_changed after update of default_chain, closed_at or delete or truncate
  on merchants execute function notify_keys_changed();
create trigger keys_changed after insert or update or delete or truncate
  on merchant_wallets execute function notify_keys_changed();
create trigger keys_changed after insert or update or delete or truncate
  on merchant_confirmations execute function notify_keys_changed();
create trigger keys_changed after insert or update or delete or truncate
  on allowed_wallets execute function notify_keys_changed();

-- The fingerprint of the key that new client secrets and webhook secrets are derived with: an HMAC of a fixed text, from which
-- nothing can be derived. Columns named `secret_key` hold the fingerprint of their row's key, so that SERVER_SECRET may change.
create table server_secret (
  only_row boolean primary key default true check (only_row),
  fingerprint text not null
);

create table payment_intents (
  id text collate "C" primary key,
  merchant_id text collate "C" not null,
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
  -- The payment link that it pays.
  payment_link text collate "C",
  -- JSON text exactly as the merchant sent it.
  metadata text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  expires_in_minutes integer not null,
  -- When a checkout resolved it first. No index has it, so that a first resolve writes none.
  opened_at timestamptz,
  -- When it was paid for good, and by what the transfer that completed the payment was matched; null before, and while the
  -- chain has taken back what paid it.
  succeeded_at timestamptz,
  bound_by text,
  check ((succeeded_at is null) = (bound_by is null)),

  status text not null check (
    status in ('requires_payment', 'pending_confirmations', 'succeeded', 'expired', 'canceled')
  ),
  version integer not null,
  sequence integer not null,
  amount_received_units numeric(78, 0) not null,
  -- The amount that the merchant agreed to settle for, if not `amount_units`.
  accepted_units numeric(78, 0),
  confirmations integer not null,
  tx_hash text collate "C",
  exceptions text[] not null,
  -- Whether it holds one of the places of its payment link; see store/payment-links/places.ts.
  holds_place boolean not null default false
)
-- An update that changes no indexed column, such as a confirmation, writes no index if its page has room for the new row.
with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);

-- A poll looks at open intents by deadline, at those that wait for depth, and at those that a reorganisation took back.
create index payment_intents_open on payment_intents (chain_id, expires_at)
  where status = 'requires_payment';
create index payment_intents_pending on payment_intents (chain_id)
  where status = 'pending_confirmations';
create index payment_intents_reversed on payment_intents (chain_id)
  where status = 'succeeded' and 'reorged' = any (exceptions);
-- Intents of one price at a wallet.
create index payment_intents_price
  on payment_intents (chain_id, expected_wallet, amount_units, created_at);
-- Prices of open intents: no other intent may reserve them as its amount. Ended intents are not in it: a price may have a million of them.
create index payment_intents_open_price on payment_intents (chain_id, expected_wallet, amount_units)
  where status in ('requires_payment', 'pending_confirmations');
-- The merchant of an unmatched transfer, by its wallet.
create index payment_intents_wallet on payment_intents (expected_wallet, created_at);
-- Payments of a period. Partial, so that a creation writes nothing here.
create index payment_intents_succeeded on payment_intents (merchant_id, mode, succeeded_at)
  where succeeded_at is not null;
-- Retention deletes these, oldest first. An intent enters the index when it ends.
create index payment_intents_unpaid on payment_intents (id)
  where status in ('expired', 'canceled') and amount_received_units = 0;
-- Lists of a merchant's own intents, newest first. A list that leaves a column open reads the range of each of its values.
create index payment_intents_merchant on payment_intents (merchant_id, mode, id);
create index payment_intents_list on payment_intents (merchant_id, mode, chain, status, id);
create index payment_intents_wallet_list
  on payment_intents (merchant_id, mode, expected_wallet, status, id);
create index payment_intents_amount_list
  on payment_intents (merchant_id, mode, amount_units, status, id);
create index payment_intents_payable_list
  on payment_intents (merchant_id, mode, payable_amount_units, status, id);
-- Partial, so that a creation without a link writes nothing here.
create index payment_intents_link_list
  on payment_intents (merchant_id, mode, payment_link, status, id) where payment_link is not null;
-- Those that are canceled once their link is used up.
create index payment_intents_open_link on payment_intents (payment_link)
  where payment_link is not null and status = 'requires_payment';

-- The strings, numbers and booleans at the top level of an intent's metadata, each with its key as one hash.
-- Hashed because metadata may hold values that no text column can: NUL, halves of surrogate pairs, any length.
-- Invariant: each row is written with its intent and deleted with it.
create table payment_intent_metadata (
  merchant_id text collate "C" not null,
  mode text not null,
  entry bytea not null,
  intent_id text collate "C" not null,
  primary key (merchant_id, mode, entry, intent_id)
) with (autovacuum_vacuum_scale_factor = 0.02);

-- Links that merchants publish, each of which is paid by any number of payers, or by `max_payments`.
create table payment_links (
  id text collate "C" primary key,
  merchant_id text collate "C" not null references merchants,
  mode text not null check (mode in ('testnet', 'mainnet')),
  -- null: the payer names the amount.
  amount_units bigint check (amount_units > 0),
  min_units bigint check (min_units > 0),
  max_units bigint check (max_units >= min_units),
  chains text[] not null check (cardinality(chains) > 0),
  active boolean not null,
  description text not null,
  -- JSON text exactly as the merchant sent it.
  metadata text not null,
  max_payments integer,
  -- Intents that hold a place. May exceed `max_payments`: a merchant accepts a late payment, or the chain restores one.
  payments_count integer not null,
  -- It was used up, and intents of it may still be open.
  closing boolean not null default false,
  expires_at timestamptz,
  -- One of `return_origins`, checked when it was set.
  return_url text,
  created_at timestamptz not null,
  check (amount_units is null or (min_units is null and max_units is null)),
  check (payments_count >= 0)
);
-- Lists of a merchant's own links, newest first, and how many are active.
create index payment_links_list on payment_links (merchant_id, mode, active, id);
create index payment_links_closing on payment_links (id) where closing;

-- The pictures of payment links. A picture has an address of its own, by its hash, so that browsers keep it for good.
create table payment_link_pictures (
  link_id text collate "C" primary key references payment_links,
  -- SHA-256 of the content, base64url.
  hash text collate "C" not null,
  type text not null check (type in ('image/png', 'image/jpeg', 'image/webp')),
  content bytea not null check (octet_length(content) <= 100000)
);
create index payment_link_pictures_hash on payment_link_pictures (hash);

-- The payers who created intents of payment links on their pages. A row is deleted a day after the intent's deadline.
create table link_visits (
  intent_id text collate "C" primary key references payment_intents on delete cascade,
  link_id text collate "C" not null references payment_links,
  -- SHA-256 of the visitor's key.
  visitor bytea not null,
  -- HMAC of the client address.
  client bytea not null,
  expires_at timestamptz not null,
  -- Until when an amount to pay by hand is reserved; null: none is.
  reserved_until timestamptz
) with (autovacuum_vacuum_scale_factor = 0.02);
create index link_visits_visitor on link_visits (link_id, visitor, intent_id);
create index link_visits_client on link_visits (client, expires_at);
create index link_visits_reserved on link_visits (link_id, reserved_until)
  where reserved_until is not null;
create index link_visits_expires on link_visits (expires_at);

-- Each amount that a checkout may show for a wallet belongs to one intent until its late window ends,
-- by the chain's clock.
create table payable_reservations (
  chain_id integer not null,
  wallet text collate "C" not null,
  payable_amount_units bigint not null,
  intent_id text collate "C" not null,
  -- A transfer from before the intent existed is not for it: the first block that counts, or if no process followed the chain,
  -- the first timestamp of a block.
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

-- Invariant: a row is written in the transaction that creates its intent.
create table idempotency_keys (
  merchant_id text collate "C" not null,
  mode text not null,
  route text not null,
  key text collate "C" not null,
  request_hash bytea not null,
  -- Without the client secret, which a replay derives again with the key of this fingerprint.
  response text not null,
  secret_key text not null,
  created_at timestamptz not null default now(),
  primary key (merchant_id, mode, route, key)
) with (autovacuum_vacuum_scale_factor = 0.02);
create index idempotency_keys_created_at on idempotency_keys (created_at);

-- Links that hand a checkout to another browser. Tokens of links and sessions are stored as SHA-256 hashes only.
create table handoff_tokens (
  hash bytea primary key,
  intent_id text collate "C" not null references payment_intents on delete cascade,
  -- One of `return_origins`, checked when the token was made; null: none.
  return_url text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
) with (autovacuum_vacuum_scale_factor = 0.02);
create index handoff_tokens_intent on handoff_tokens (intent_id, created_at);
create index handoff_tokens_expires on handoff_tokens (expires_at);

-- Sessions of the hosted page.
create table checkout_sessions (
  hash bytea primary key,
  intent_id text collate "C" not null references payment_intents on delete cascade,
  return_url text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
) with (autovacuum_vacuum_scale_factor = 0.02);
create index checkout_sessions_intent on checkout_sessions (intent_id, created_at);
create index checkout_sessions_expires on checkout_sessions (expires_at);

-- One row per chain. Invariant: every write that follows from reading the chain is made by the holder of the newest epoch, in
-- a transaction that checks it.
create table chain_cursors (
  chain_id integer primary key,
  epoch bigint not null default 0,
  lease_until timestamptz not null default '-infinity',
  -- Every block up to this one has been read; its timestamp is the clock of all deadlines on this chain.
  scanned_to bigint,
  scanned_timestamp bigint,
  scanned_at timestamptz,
  -- The newest block at that time.
  head bigint,
  -- How far each later reading of the same blocks has come, in the order of their depths.
  reread_to bigint[],
  -- Transfers that only later readings showed.
  delayed_transfers bigint not null default 0,
  -- How far the chain's clock is ahead of this database's, as the chain's follower sees it, in milliseconds; 0 up to a few
  -- seconds. Servers date by the database's clock and this. Null: not measured yet.
  clock_ahead_ms bigint,
  -- The smallest recent value.
  clock_least_ms bigint
);

create table chain_blocks (
  chain_id integer not null,
  number bigint not null,
  hash text collate "C" not null,
  parent_hash text collate "C" not null,
  timestamp bigint not null,
  primary key (chain_id, number)
);

-- Blocks to read once more, at an operator's request, from `next_block` on.
create table chain_rescans (
  chain_id integer primary key,
  next_block bigint not null,
  to_block bigint not null
);

-- Transactions that no provider could show: too large, or too slow. Each is retried by itself, and no block waits for it; one
-- that has failed for long is quarantined, which is reported.
create table deferred_transactions (
  chain_id integer not null,
  tx_hash text collate "C" not null,
  block_number bigint not null,
  block_hash text collate "C" not null,
  reason text not null,
  is_large boolean not null default false,
  deferred_at timestamptz not null default now(),
  retry_at timestamptz not null default now(),
  quarantined_at timestamptz,
  -- An operator has looked into it: it is reported no more, and read again as before.
  dismissed_at timestamptz,
  primary key (chain_id, tx_hash)
);

-- How far the head of each RPC provider rose, and since when it stands still; written by the process that follows the chain.
create table provider_heads (
  chain_id integer not null,
  -- Host and port.
  provider text collate "C" not null,
  head bigint not null,
  -- How many blocks the best other provider claimed to be ahead right after this one rose last; null: not known.
  lead bigint,
  -- The head stood still from `advanced_at` to `seen_at` at least.
  advanced_at timestamptz not null,
  seen_at timestamptz not null,
  primary key (chain_id, provider)
);

-- Topics of the token's logs. The follower reads them from blocks of `since` until the chain's clock passes `until`: transfers
-- to wallets, and authorizations with these nonces. An address has 20 bytes, a nonce 32.
create table watched_topics (
  chain_id integer not null,
  topic text collate "C" not null,
  since timestamptz not null,
  until timestamptz not null,
  -- A reader reads only the topics of later versions than it has. A row gets its version once it is committed.
  version bigint,
  primary key (chain_id, topic)
);
create index watched_topics_until on watched_topics (chain_id, until);
create index watched_topics_since on watched_topics (chain_id, since);
create index watched_topics_version on watched_topics (version);

create table watched_topics_counter (
  only_row boolean primary key default true check (only_row),
  version bigint not null
);

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
  -- The nonce of the payer's authorization (EIP-3009) that moved it; null: none did.
  authorization_nonce text collate "C",
  -- The merchant of the wallet; null while it is no known merchant's.
  merchant_id text collate "C" references merchants,
  mode text,
  intent_id text collate "C" references payment_intents,
  -- The rule of the binding order that credited it; null while it is unmatched.
  bound_by text check (bound_by in (
    'assignment', 'authorization', 'reference', 'address', 'payable_amount', 'price'
  )),
  -- Why it is unmatched; null while it is credited.
  reason text,
  -- The refund that it pays: a log may be one merchant's refund and another's payment. `refunds` refers to this table, so there
  -- is no foreign key; it is written while the refund is locked.
  refund_id text collate "C",
  -- Its block is proven to be no longer canonical.
  orphaned boolean not null default false,
  seen_at timestamptz not null default now(),
  check ((intent_id is null) = (bound_by is null)),
  unique (chain_id, block_hash, log_index)
);
-- The credit key: a log of the canonical chain counts once, ever.
create unique index transfers_credit on transfers (chain_id, tx_hash, log_index) where not orphaned;
create index transfers_block on transfers (chain_id, block_number) where not orphaned;
create index transfers_tx on transfers (chain_id, tx_hash);
-- Whether the chain had an authorization before a payer handed it in.
create index transfers_authorization on transfers (chain_id, sender, authorization_nonce)
  where authorization_nonce is not null;
-- A refund is paid once.
create unique index transfers_refund on transfers (refund_id)
  where refund_id is not null and not orphaned;
create index transfers_intent_list on transfers (intent_id, id) where intent_id is not null;
-- Lists of a merchant's own transfers, newest first.
create index transfers_list on transfers (merchant_id, mode, chain_id, (intent_id is not null), id);
create index transfers_payer_list
  on transfers (merchant_id, mode, sender, (intent_id is not null), id);
create index transfers_wallet_list
  on transfers (merchant_id, mode, wallet, (intent_id is not null), id);
create index transfers_amount_list
  on transfers (merchant_id, mode, amount_units, (intent_id is not null), id);
-- Intents by who paid them.
create index transfers_payer_intents on transfers (merchant_id, mode, sender, intent_id);

-- The intents that an unmatched transfer may be for, as it looked when it was recorded; `rank` 1 is the likeliest.
create table transfer_suggestions (
  transfer_id text collate "C" not null references transfers,
  intent_id text collate "C" not null references payment_intents,
  match text not null check (match in ('price', 'amount', 'payer')),
  rank integer not null,
  primary key (transfer_id, intent_id)
);
create index transfer_suggestions_intent on transfer_suggestions (intent_id, transfer_id);

-- The payers of an intent, for searches by payer and the chain or status of the intent.
-- Invariant: there is a row for each intent and each sender of a transfer that is credited to it, also of an orphaned one.
-- Its merchant, mode, chain and status are those of the intent. Triggers keep it, because an operator may use SQL.
create table payment_intent_payers (
  merchant_id text collate "C" not null,
  mode text not null,
  payer text collate "C" not null,
  chain text not null,
  status text not null,
  intent_id text collate "C" not null references payment_intents on delete cascade,
  primary key (intent_id, payer)
);
create index payment_intent_payers_list
  on payment_intent_payers (merchant_id, mode, payer, chain, status, intent_id);

-- Checkouts hold requests until the version of their intent rises.
create function notify_payment_intent_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('payment_intent_changed', new.id);
  return null;
end
$$;
create trigger changed after update of version on payment_intents
  for each row when (old.version <> new.version) execute function notify_payment_intent_changed();

create function follow_intent_status() returns trigger language plpgsql as $$
begin
  update payment_intent_payers set status = new.status where intent_id = new.id;
  return null;
end
$$;
create trigger follow_status after update of status on payment_intents
  for each row when (old.status is distinct from new.status) execute function follow_intent_status();

-- Invariant: a transaction that credits a transfer has locked the intent, so that its status does not change meanwhile.
create function add_payers() returns trigger language plpgsql as $$
begin
  -- `offset 0` keeps a plan that was made for many transfers from reading all intents.
  insert into payment_intent_payers (merchant_id, mode, payer, chain, status, intent_id)
  select distinct p.merchant_id, p.mode, t.sender, p.chain, p.status, p.id
  from inserted t cross join lateral (
    select id, merchant_id, mode, chain, status from payment_intents where id = t.intent_id offset 0
  ) p
  on conflict do nothing;
  return null;
end
$$;
create trigger add_payers after insert on transfers
  referencing new table as inserted for each statement execute function add_payers();

-- The payer stays with the intent that a transfer left if another transfer of theirs is credited to it.
create function move_payer() returns trigger language plpgsql as $$
begin
  delete from payment_intent_payers
  where intent_id = old.intent_id and payer = old.sender and not exists (
    select from transfers t where t.intent_id = old.intent_id and t.sender = old.sender
  );
  insert into payment_intent_payers (merchant_id, mode, payer, chain, status, intent_id)
  select p.merchant_id, p.mode, new.sender, p.chain, p.status, p.id
  from payment_intents p where p.id = new.intent_id
  on conflict do nothing;
  return null;
end
$$;
create trigger move_payer after update of intent_id on transfers
  for each row when (old.intent_id is distinct from new.intent_id) execute function move_payer();

-- Money that a merchant pays back, of an intent's payments or of an unmatched transfer. Invariant: a transaction that creates
-- or changes a refund has locked its intent or its transfer, so refunds that are not canceled never exceed the received amount.
create table refunds (
  id text collate "C" primary key,
  merchant_id text collate "C" not null,
  mode text not null,
  intent_id text collate "C" references payment_intents,
  transfer_id text collate "C" references transfers,
  chain text not null,
  chain_id integer not null,
  token_address text collate "C" not null,
  amount_units bigint not null check (amount_units > 0),
  -- The nonce of the authorization that pays it.
  refund_reference text collate "C" not null unique,
  salt text collate "C" not null,
  confirmations_required integer not null check (confirmations_required > 0),
  reason text,
  -- JSON text exactly as the merchant sent it.
  metadata text not null,
  created_at timestamptz not null,

  status text not null check (
    status in (
      'requires_destination', 'requires_confirmation', 'requires_signature', 'pending',
      'succeeded', 'canceled'
    )
  ),
  sequence integer not null,
  destination text collate "C",
  destination_proof text
    check (destination_proof in ('merchant', 'payer_signature', 'payer_claim')),
  from_address text collate "C",
  from_verified boolean,
  confirmations integer not null,
  -- A transaction that the merchant named as the one that pays it, also when the chain has taken it back.
  attached_tx_hash text collate "C",
  -- When it was paid for good; null before, and while the chain has taken back what paid it.
  succeeded_at timestamptz,
  check (num_nonnulls(intent_id, transfer_id) = 1),
  check ((destination is null) = (destination_proof is null))
);
create index refunds_intent on refunds (intent_id) where intent_id is not null;
create index refunds_transfer on refunds (transfer_id) where transfer_id is not null;
-- A poll looks at those that wait for depth, and at those whose signature can pay no more.
create index refunds_pending on refunds (chain_id, id) where status = 'pending';
-- Refunds that wait, oldest first.
create index refunds_open on refunds (chain_id, id)
  where status in (
    'requires_destination', 'requires_confirmation', 'requires_signature', 'pending'
  );
-- Refunds of a period.
create index refunds_succeeded on refunds (merchant_id, mode, succeeded_at)
  where succeeded_at is not null;
-- Lists of a merchant's own refunds, newest first.
create index refunds_list on refunds (merchant_id, mode, status, id);
create index refunds_intent_list on refunds (merchant_id, mode, intent_id, id);
create index refunds_transfer_list on refunds (merchant_id, mode, transfer_id, id);
create index refunds_destination_list on refunds (merchant_id, mode, destination, id);
create index refunds_from_list on refunds (merchant_id, mode, from_address, id);
create index refunds_amount_list on refunds (merchant_id, mode, amount_units, id);

-- The sums of an hour or a day of payment intents and refunds, so that a summary of a year reads days instead of payments. A
-- request for a summary writes spans that ended three hours ago and have no row; a span without a row is added up by the request
-- itself. Hours and days begin where the merchant's time zone has them.
-- Invariant: a row equals the sum of its intents and refunds now. A transaction that changes one older than two hours deletes
-- the rows of its spans; the triggers below do that, because an operator may use SQL. Both times are by the database's clock. A
-- chain's clock may differ: that changes which spans are stored, never the sums of a summary.
create table summary_buckets (
  merchant_id text collate "C" not null,
  mode text not null,
  hours smallint not null check (hours in (1, 24)),
  start timestamptz not null,
  -- Payment intents created in it, and those of them that were opened and paid.
  created integer not null,
  opened integer not null,
  paid integer not null,
  primary key (merchant_id, mode, hours, start)
);

-- The payments and refunds that succeeded in a span of `summary_buckets`.
create table summary_amounts (
  merchant_id text collate "C" not null,
  mode text not null,
  hours smallint not null,
  start timestamptz not null,
  chain text not null,
  -- How the payments were matched; '': the refunds.
  bound_by text not null,
  units numeric(78, 0) not null,
  count integer not null,
  primary key (merchant_id, mode, hours, start, chain, bound_by)
);

-- Intents that retention has deleted, by the quarter of the hour in which they were created: a summary still counts them.
-- Invariant: written in the transaction that deletes them.
create table summary_deleted (
  merchant_id text collate "C" not null,
  mode text not null,
  start timestamptz not null,
  created integer not null,
  opened integer not null,
  primary key (merchant_id, mode, start)
);

-- The least identifier of a time: those of earlier times are less, those of later times greater.
create function first_id(prefix text, since timestamptz) returns text language sql immutable as $$
  select (prefix || '_' || string_agg(
    substr('0123456789abcdefghjkmnpqrstvwxyz',
      1 + (greatest(floor(extract(epoch from since) * 1000), 0)::bigint >> (5 * n) & 31)::integer, 1),
    '' order by n desc
  )) collate "C" from generate_series(0, 9) n
$$;

-- The lock keeps a span from being written of what is about to change: the writer of spans has it alone.
create function forget_summary_buckets() returns trigger language plpgsql as $$
declare
  times timestamptz[] := array[new.created_at, new.succeeded_at];
begin
  if tg_op = 'UPDATE' then times := times || old.succeeded_at; end if;
  perform pg_advisory_xact_lock_shared(hashtextextended('summary ' || new.merchant_id || new.mode, 0));
  delete from summary_buckets s using unnest(times) time, unnest('{1, 24}'::smallint[]) span
  where s.merchant_id = new.merchant_id and s.mode = new.mode and s.hours = span
    and s.start > time - span * interval '1 hour' and s.start <= time;
  delete from summary_amounts a using unnest(times) time, unnest('{1, 24}'::smallint[]) span
  where a.merchant_id = new.merchant_id and a.mode = new.mode and a.hours = span
    and a.start > time - span * interval '1 hour' and a.start <= time;
  return null;
end
$$;
create trigger forget_summary_buckets_created after insert on payment_intents
  for each row when (new.created_at < now() - interval '2 hours')
  execute function forget_summary_buckets();
create trigger forget_summary_buckets after update of opened_at, succeeded_at, bound_by, amount_received_units
  on payment_intents for each row when (
    least(new.created_at, old.succeeded_at, new.succeeded_at) < now() - interval '2 hours'
    and (
      old.opened_at is distinct from new.opened_at
      or old.succeeded_at is distinct from new.succeeded_at
      or (
        new.succeeded_at is not null
        and (old.bound_by, old.amount_received_units) is distinct from (new.bound_by, new.amount_received_units)
      )
    )
  ) execute function forget_summary_buckets();
create trigger forget_summary_buckets after update of succeeded_at on refunds
  for each row when (
    old.succeeded_at is distinct from new.succeeded_at
    and least(old.succeeded_at, new.succeeded_at) < now() - interval '2 hours'
  ) execute function forget_summary_buckets();

-- Authorizations (EIP-3009): of payers for intents, and of merchants' wallets for refunds.
create table authorizations (
  id text collate "C" primary key,
  intent_id text collate "C" references payment_intents,
  refund_id text collate "C" references refunds,
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
  source text not null check (source in ('checkout', 'x402', 'refund')),
  -- in_flight: it may still move money, so nothing else is taken for its intent.
  status text not null check (status in ('in_flight', 'used', 'refused', 'expired')),
  reason text,
  -- The transaction it was last submitted in.
  tx_hash text collate "C",
  -- When a relayer first saw that the token has the nonce although no relayer has broadcast the authorization: somebody else
  -- broadcast it, or its account revoked it. Until then, and while `tx_hash` is null, it may be withdrawn.
  nonce_used_at timestamptz,
  -- The claimant that submitted it first, stored before anybody else can see the payment, and for good. Only one request of the
  -- claimant gets the goods: `given_out_to`.
  claimed_by text,
  given_out_to text,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  -- The token takes each nonce of an account once.
  unique (chain_id, authorizer, nonce),
  check (num_nonnulls(intent_id, refund_id) = 1)
);
-- Payers' authorizations that wait for their first broadcast, to withdraw those that wait for too long.
create index authorizations_unsent on authorizations (created_at)
  where status = 'in_flight' and tx_hash is null and nonce_used_at is null and intent_id is not null;
create unique index authorizations_live_refund on authorizations (refund_id)
  where status = 'in_flight';
create index authorizations_refund on authorizations (refund_id) where refund_id is not null;
create unique index authorizations_live on authorizations (intent_id) where status = 'in_flight';
create index authorizations_intent on authorizations (intent_id, id);
-- The amounts that an account has already promised.
create index authorizations_in_flight on authorizations (chain_id, authorizer)
  where status = 'in_flight';
-- For the relayer: authorizations to look at, and those that have expired.
create index authorizations_valid_before on authorizations (chain_id, valid_before)
  where status = 'in_flight';
-- For reorganisations, which take them back.
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
  -- Keccak-256 of the payer's code when the transaction was recorded; null: it had none.
  code_hash text collate "C",
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
-- The limit of reverted transactions of an account in a day.
create index relayer_transactions_reverted on relayer_transactions (chain_id, created_at)
  where succeeded = false;
-- The limit of a day's cost.
create index relayer_transactions_created on relayer_transactions (chain_id, created_at);

-- About an intent, a transfer that belongs to none, a refund, a webhook endpoint, which may be deleted since, or an alert.
create table events (
  id text collate "C" primary key,
  merchant_id text collate "C" not null,
  mode text not null,
  type text not null,
  intent_id text collate "C",
  transfer_id text collate "C" references transfers,
  refund_id text collate "C",
  endpoint_id text collate "C",
  alert_id text collate "C",
  -- That the intent pays.
  payment_link text collate "C",
  -- 1, 2, 3 … within an intent or a refund, without a gap.
  sequence integer not null,
  created_at timestamptz not null default now(),
  -- JSON text of `data.object`.
  object text not null,
  -- The order in which rows were written, which is not the one in which they were committed.
  written bigint generated always as identity,
  -- A merchant's events in the order in which they can be read, from 1; set once they are committed.
  position bigint,
  unique (intent_id, sequence),
  constraint events_subject
    check (num_nonnulls(intent_id, transfer_id, refund_id, endpoint_id, alert_id) = 1)
) with (autovacuum_vacuum_scale_factor = 0.02);
-- Partial, so that an intent's event writes nothing here.
create unique index events_transfer on events (transfer_id) where transfer_id is not null;
create unique index events_endpoint_sequence on events (endpoint_id, sequence)
  where endpoint_id is not null;
create unique index events_refund_sequence on events (refund_id, sequence)
  where refund_id is not null;
create unique index events_position on events (merchant_id, mode, position) include (created_at)
  where position is not null;
create index events_type on events (merchant_id, mode, type, position) where position is not null;
create index events_link on events (merchant_id, mode, payment_link, position)
  where payment_link is not null and position is not null;
create index events_link_type on events (merchant_id, mode, payment_link, type, position)
  where payment_link is not null and position is not null;
create index events_unnumbered on events (merchant_id, mode, written) where position is null;

-- The URLs that a merchant's events are posted to. The signing secret is derived from the id and `secret_version`.
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
  secret_key text not null,
  -- Until then, deliveries are signed with the secret of the version before, too.
  previous_secret_until timestamptz,
  -- null: its secret was never rotated.
  previous_secret_key text,
  -- null when the latest attempt succeeded.
  failing_since timestamptz,
  -- The `failing_since` that an alert names, or will.
  alerted_since timestamptz,
  created_at timestamptz not null
);
create index webhook_endpoints_merchant on webhook_endpoints (merchant_id, mode, id);
-- Those that an alert is to name once they have failed for long.
create index webhook_endpoints_failing on webhook_endpoints (failing_since)
  where disabled_reason is null and alerted_since is distinct from failing_since;

-- One event on its way to one endpoint. Invariant: written with the event, in its transaction.
create table webhook_deliveries (
  -- No foreign key: an event must be written even while its endpoint is being deleted.
  endpoint_id text collate "C" not null,
  event_id text collate "C" not null references events,
  attempts integer not null default 0,
  -- The next attempt; null when it succeeded or was given up.
  due_at timestamptz,
  -- A server process is attempting it until then at the latest.
  claimed_until timestamptz,
  last_attempt_at timestamptz,
  response_status integer,
  error text,
  delivered_at timestamptz,
  -- Rows that were written to `webhook_attempts`, also those that newer ones have replaced.
  attempts_recorded integer not null default 0,
  primary key (endpoint_id, event_id)
) with (autovacuum_vacuum_scale_factor = 0.02);
create index webhook_deliveries_due on webhook_deliveries (endpoint_id, due_at)
  where due_at is not null;
create index webhook_deliveries_event on webhook_deliveries (event_id);

-- The newest attempts of each delivery: one takes the place of the oldest once all slots are taken.
create table webhook_attempts (
  endpoint_id text collate "C" not null,
  event_id text collate "C" not null,
  slot smallint not null,
  id text collate "C" not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  response_status integer,
  -- The first bytes as text: a stranger's.
  response_body text,
  error_code text,
  error text,
  primary key (endpoint_id, event_id, slot),
  foreign key (endpoint_id, event_id) references webhook_deliveries on delete cascade
) with (autovacuum_vacuum_scale_factor = 0.02);
-- Lists of the attempts at an endpoint, newest first.
create unique index webhook_attempts_list on webhook_attempts (endpoint_id, id);

-- The objects that need a decision, each with its reason by the rules of the core. Webhook endpoints are not
-- in it: a merchant has few, and theirs is a matter of time.
-- Invariant: written in the transaction that changes the object, which has locked it.
create table attention (
  object_id text collate "C" primary key,
  merchant_id text collate "C" not null,
  mode text collate "C" not null,
  type text collate "C" not null,
  since timestamptz not null
) with (autovacuum_vacuum_scale_factor = 0.02);
-- With `type`, or a list would be cheaper by the next index and a sort, where one merchant has all items.
create index attention_list on attention (merchant_id, mode, since, object_id) include (type);
create index attention_type_list on attention (merchant_id, mode, type, since, object_id);

-- When each cause last raised an alert. Invariant: whoever raises one, or puts it off, has locked the row.
create table alerts (
  merchant_id text collate "C" not null references merchants,
  mode text not null check (mode in ('testnet', 'mainnet')),
  cause text not null,
  raised_at timestamptz not null,
  primary key (merchant_id, mode, cause)
);

-- Objects that alerts will name. Invariant: the transaction of the causing event writes a row; the transaction that raises the
-- alert, or that finds the cause resolved, deletes it.
create table alert_objects (
  cause text not null,
  object_id text collate "C" not null,
  merchant_id text collate "C" not null,
  mode text not null,
  since timestamptz not null,
  due_at timestamptz not null,
  primary key (cause, object_id)
) with (autovacuum_vacuum_scale_factor = 0.02);
create index alert_objects_due on alert_objects (due_at);
create index alert_objects_of on alert_objects (merchant_id, mode, cause, due_at);

-- Mails that are not sent yet, one for each recipient. Invariant: written with what they report, in its transaction; deleted
-- once the mail server has taken them, or has taken none of them for a day.
create table mails (
  id text collate "C" primary key,
  merchant_id text collate "C" not null references merchants,
  recipient text not null,
  subject text not null,
  text text not null,
  attempts integer not null default 0,
  -- The next attempt. While a process makes one, the time until which others leave it alone.
  due_at timestamptz not null default now(),
  created_at timestamptz not null default now()
) with (autovacuum_vacuum_scale_factor = 0.02);
create index mails_due on mails (due_at);

-- Each server writes this one row every few seconds, to learn whether the database takes writes.
create table write_checks (
  id smallint primary key,
  checked_at timestamptz not null
);
