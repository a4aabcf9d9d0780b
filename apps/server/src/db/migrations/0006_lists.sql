-- Lists of a merchant's own rows, newest first: one index for every combination of filters. A list that leaves a
-- column open reads the range of each of its values.
create index payment_intents_list on payment_intents (merchant_id, mode, chain, status, id);
drop index payment_intents_status;

create index transfers_list on transfers (merchant_id, mode, chain_id, (intent_id is not null), id);
drop index transfers_merchant;
drop index transfers_unmatched;
create index transfers_intent_list on transfers (intent_id, id) where intent_id is not null;
drop index transfers_intent;
