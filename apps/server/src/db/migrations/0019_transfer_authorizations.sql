-- The nonce of the payer's authorization (EIP-3009) that moved a transfer; null: none did, or a release before this stored it.
alter table transfers add column authorization_nonce text collate "C";
-- Whether the chain had an authorization before it was handed in.
create index transfers_authorization on transfers (chain_id, sender, authorization_nonce)
  where authorization_nonce is not null;
