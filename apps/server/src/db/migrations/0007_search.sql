-- What lists can be searched by, newest first: each index has the order of a merchant's own rows of one value and status.
create index payment_intents_wallet_list
  on payment_intents (merchant_id, mode, expected_wallet, status, id);
create index payment_intents_amount_list
  on payment_intents (merchant_id, mode, amount_units, status, id);
create index payment_intents_payable_list
  on payment_intents (merchant_id, mode, payable_amount_units, status, id);

create index transfers_payer_list
  on transfers (merchant_id, mode, sender, (intent_id is not null), id);
create index transfers_wallet_list
  on transfers (merchant_id, mode, wallet, (intent_id is not null), id);
create index transfers_amount_list
  on transfers (merchant_id, mode, amount_units, (intent_id is not null), id);
-- Intents by who paid them.
create index transfers_payer_intents on transfers (merchant_id, mode, sender, intent_id);
