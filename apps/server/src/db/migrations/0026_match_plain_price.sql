-- Whether a transfer of exactly an intent's price, without tag or reference, pays that intent. Off, because such a transfer may
-- have nothing to do with the intent: anybody can open one of the price that another customer is about to pay.
alter table merchant_wallets add column match_plain_price boolean not null default false;
