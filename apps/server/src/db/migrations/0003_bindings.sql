-- Rails that came later: the nonce of an authorization (EIP-3009), and the plain price.
alter table transfers drop constraint transfers_bound_by_check;
alter table transfers add constraint transfers_bound_by_check check (bound_by in (
  'assignment', 'authorization', 'reference', 'address', 'payable_amount', 'price'
));

-- Intents of one price at a wallet.
create index payment_intents_price
  on payment_intents (chain_id, expected_wallet, amount_units, created_at);

-- What an unmatched transfer may be for, as it looked when it was recorded; `rank` 1 is the likeliest.
create table transfer_suggestions (
  transfer_id text collate "C" not null references transfers,
  intent_id text collate "C" not null references payment_intents,
  match text not null check (match in ('price', 'amount', 'payer')),
  rank integer not null,
  primary key (transfer_id, intent_id)
);
create index transfer_suggestions_intent on transfer_suggestions (intent_id, transfer_id);

-- An address that a request named is the first merchant's who named it. What a merchant's own lists hold outranks that.
create table wallet_owners (
  mode text not null check (mode in ('testnet', 'mainnet')),
  address text collate "C" not null,
  merchant_id text collate "C" not null references merchants,
  primary key (mode, address)
);
insert into wallet_owners (mode, address, merchant_id)
select distinct on (mode, expected_wallet) mode, expected_wallet, merchant_id
from payment_intents
where expected_wallet not in (select address from merchant_wallets)
order by mode, expected_wallet, created_at, id;
create index allowed_wallets_address on allowed_wallets (address);
