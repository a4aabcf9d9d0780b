-- Each server writes this one row every few seconds, to learn whether the database takes writes.
create table write_checks (
  id smallint primary key,
  checked_at timestamptz not null
);
