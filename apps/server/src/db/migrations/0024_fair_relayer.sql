-- When a relayer first saw that the token has the nonce of an authorization that no relayer has broadcast: somebody else
-- broadcast it, or its account revoked it. Until then, and while `tx_hash` is null, it may be withdrawn.
alter table authorizations add column nonce_used_at timestamptz;

-- Authorizations that wait for their first broadcast, to withdraw those that wait for too long.
create index authorizations_unsent on authorizations (created_at)
  where status = 'in_flight' and tx_hash is null and nonce_used_at is null;

-- Keccak-256 of the payer's code when the transaction was recorded; null: it had none, or a release before this recorded it.
alter table relayer_transactions add column code_hash text collate "C";
