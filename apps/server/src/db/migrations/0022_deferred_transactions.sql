-- Since when a transaction could not be read, and when it is tried again, outlive the process that follows the chain. No
-- block waits for it: it is reported once it has failed for long.
alter table set_aside_transactions rename to deferred_transactions;
alter index set_aside_transactions_pkey rename to deferred_transactions_pkey;
alter table deferred_transactions rename column set_aside_at to deferred_at;
alter table deferred_transactions drop column attempts;
alter table deferred_transactions add column is_large boolean not null default true;
alter table deferred_transactions alter column is_large set default false;
alter table deferred_transactions add column retry_at timestamptz not null default now();
alter table deferred_transactions add column quarantined_at timestamptz;
update deferred_transactions set quarantined_at = deferred_at;
