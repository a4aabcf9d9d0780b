-- What was paid for with an authorization is given out once: to the request that named itself first.
alter table authorizations add column claimed_by text;
