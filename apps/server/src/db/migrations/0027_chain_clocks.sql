-- How far a chain's clock is ahead of this database's, as the chain's follower sees it, in milliseconds; 0 up to a few seconds. Servers
-- date by the database's clock and this. `clock_least_ms` is the least that it has been of late. Null: nobody has seen it yet.
alter table chain_cursors
  add column clock_ahead_ms bigint,
  add column clock_least_ms bigint;
