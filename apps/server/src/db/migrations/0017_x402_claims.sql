-- What was paid for with an authorization is given out once. Who hands it in holds it for a while, since the signature is
-- public once it is submitted; given out: `claimed_at` is infinity.
alter table authorizations
  add column claimed_by text,
  add column claimed_at timestamptz;
