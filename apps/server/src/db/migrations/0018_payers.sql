-- In the order in which a reading of a chain writes them, so that neither waits for the other in a circle. A later migration
-- of the same transaction alters `transfers`.
lock table transfers in access exclusive mode;
lock table payment_intents in share row exclusive mode;

-- Who paid an intent, for searches by payer and the chain or status of the intent.
-- Invariant: there is a row for each intent and each sender of a transfer that is credited to it, also of a transfer that
-- the chain took back. Its merchant, mode, chain and status are those of the intent.
create table payment_intent_payers (
  merchant_id text collate "C" not null,
  mode text not null,
  payer text collate "C" not null,
  chain text not null,
  status text not null,
  intent_id text collate "C" not null
);

insert into payment_intent_payers (merchant_id, mode, payer, chain, status, intent_id)
select distinct p.merchant_id, p.mode, t.sender, p.chain, p.status, p.id
from transfers t join payment_intents p on p.id = t.intent_id;

-- Once it is filled, since that takes less time than row by row.
alter table payment_intent_payers add primary key (intent_id, payer),
  add foreign key (intent_id) references payment_intents (id) on delete cascade;
create index payment_intent_payers_list
  on payment_intent_payers (merchant_id, mode, payer, chain, status, intent_id);

-- Triggers keep the invariant, because servers of the release before write too, and an operator may use SQL.
create function follow_intent_status() returns trigger language plpgsql as $$
begin
  update payment_intent_payers set status = new.status where intent_id = new.id;
  return null;
end
$$;
create trigger follow_status after update of status on payment_intents
  for each row when (old.status is distinct from new.status) execute function follow_intent_status();

-- Invariant: a transaction that credits a transfer has locked the intent, so that its status does not change meanwhile.
create function add_payers() returns trigger language plpgsql as $$
begin
  -- `offset 0` keeps a plan that was made for many transfers from reading all intents.
  insert into payment_intent_payers (merchant_id, mode, payer, chain, status, intent_id)
  select distinct p.merchant_id, p.mode, t.sender, p.chain, p.status, p.id
  from inserted t cross join lateral (
    select id, merchant_id, mode, chain, status from payment_intents where id = t.intent_id offset 0
  ) p
  on conflict do nothing;
  return null;
end
$$;
create trigger add_payers after insert on transfers
  referencing new table as inserted for each statement execute function add_payers();

-- The payer stays with the intent that a transfer left if another transfer of theirs is credited to it.
create function move_payer() returns trigger language plpgsql as $$
begin
  delete from payment_intent_payers
  where intent_id = old.intent_id and payer = old.sender and not exists (
    select from transfers t where t.intent_id = old.intent_id and t.sender = old.sender
  );
  insert into payment_intent_payers (merchant_id, mode, payer, chain, status, intent_id)
  select p.merchant_id, p.mode, new.sender, p.chain, p.status, p.id
  from payment_intents p where p.id = new.intent_id
  on conflict do nothing;
  return null;
end
$$;
create trigger move_payer after update of intent_id on transfers
  for each row when (old.intent_id is distinct from new.intent_id) execute function move_payer();
