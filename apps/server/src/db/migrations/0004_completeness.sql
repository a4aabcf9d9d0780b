-- How far each later reading of the same blocks has come, in the order of their depths.
alter table chain_cursors add column reread_to bigint[];
-- Transfers that only they showed.
alter table chain_cursors add column found_late bigint not null default 0;

-- Blocks that an operator has read once more, from `next_block` on.
create table chain_rescans (
  chain_id integer primary key,
  next_block bigint not null,
  to_block bigint not null
);

-- Transactions whose receipt no provider could show: too large, or too slow. Each is asked for again by itself.
create table set_aside_transactions (
  chain_id integer not null,
  tx_hash text collate "C" not null,
  block_number bigint not null,
  block_hash text collate "C" not null,
  reason text not null,
  attempts integer not null default 0,
  set_aside_at timestamptz not null default now(),
  primary key (chain_id, tx_hash)
);
