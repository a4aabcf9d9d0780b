-- What the merchant agreed to settle for, when that is not the amount itself.
alter table payment_intents add column accepted_units numeric(78, 0);
-- Whose wallet an unmatched transfer went to.
create index payment_intents_wallet on payment_intents (expected_wallet, created_at);
-- What a tick looks at besides open intents: payments that the chain took back.
create index payment_intents_reversed on payment_intents (chain_id)
  where status = 'succeeded' and 'reorged' = any (exceptions);
create index merchant_wallets_address on merchant_wallets (address);

alter table transfers
  add column merchant_id text collate "C" references merchants,
  add column mode text,
  add column token_address text collate "C",
  -- Why a transfer is unmatched; null while it is credited.
  add column reason text,
  drop constraint transfers_bound_by_check,
  add constraint transfers_bound_by_check
    check (bound_by in ('assignment', 'reference', 'address', 'payable_amount'));
update transfers t set merchant_id = p.merchant_id, mode = p.mode, token_address = p.token_address
  from payment_intents p where p.id = t.intent_id;
create index transfers_merchant on transfers (merchant_id, mode, id);
create index transfers_tx on transfers (chain_id, tx_hash);

-- An event is about an intent, or about a transfer that belongs to none.
alter table events
  alter column intent_id drop not null,
  add column transfer_id text collate "C" unique references transfers,
  add constraint events_subject check (num_nonnulls(intent_id, transfer_id) = 1);
