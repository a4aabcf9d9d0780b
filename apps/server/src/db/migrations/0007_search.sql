-- What lists can be searched by, newest first: each an index that has the order of a merchant's own rows of each chain
-- and status, as `payment_intents_list` and `transfers_list`.
create index payment_intents_wallet_list
  on payment_intents (merchant_id, mode, expected_wallet, chain, status, id);
create index payment_intents_amount_list
  on payment_intents (merchant_id, mode, amount_units, chain, status, id);
create index payment_intents_payable_list
  on payment_intents (merchant_id, mode, payable_amount_units, chain, status, id);

create index transfers_payer_list
  on transfers (merchant_id, mode, sender, chain_id, (intent_id is not null), id);
create index transfers_wallet_list
  on transfers (merchant_id, mode, wallet, chain_id, (intent_id is not null), id);
create index transfers_amount_list
  on transfers (merchant_id, mode, amount_units, chain_id, (intent_id is not null), id);
-- Intents by who paid them.
create index transfers_payer_intents on transfers (merchant_id, mode, sender, intent_id);
