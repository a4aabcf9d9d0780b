-- How far the head of each RPC provider rose, and since when it stands still; written by the process that follows the chain.
create table provider_heads (
  chain_id integer not null,
  -- Host and port.
  provider text collate "C" not null,
  head bigint not null,
  -- How many blocks the best other provider claimed to be ahead right after this one rose last; null: not known.
  lead bigint,
  -- The difference is how long it stood still while somebody looked.
  advanced_at timestamptz not null,
  seen_at timestamptz not null,
  primary key (chain_id, provider)
);
