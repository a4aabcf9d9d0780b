-- What was derived from which SERVER_SECRET, so that it may change: the fingerprint of the key. Null: from the key that
-- `server_secret` names, by a release that did not write it down; a rotation fills these in.
alter table webhook_endpoints
  add column secret_key text,
  add column previous_secret_key text;
-- A replay has the client secret of the first answer.
alter table idempotency_keys add column secret_key text;
