-- A reader asks for the wallets of later versions than it has. A row gets its version once it is committed.
create table watched_wallets_counter (
  only_row boolean primary key default true check (only_row),
  version bigint not null
);
alter table watched_wallets add column version bigint;
create index watched_wallets_version on watched_wallets (version);
-- Servers of the release before still read `written`, so it keeps its default until a later release drops it.

-- An update that changes no indexed column, such as a confirmation, writes no index where its page has room for the new row.
alter table payment_intents set (fillfactor = 80);
