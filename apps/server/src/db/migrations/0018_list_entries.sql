-- What payment intents are searched by: entries of their metadata, and who paid them. A row has the chain and the status of
-- its intent, so that a search within these reads one range of one index, however many intents have the entry. Rows of an
-- intent with more than 20 entries have neither, nor have those that servers of the release before write: each is looked up.
alter table payment_intent_metadata add column chain text, add column status text;

-- Metadata entries are hashes of JSON arrays, which this text is not.
create function payer_entry(payer text) returns bytea language sql immutable parallel safe
  return sha256(convert_to('payer:' || payer, 'UTF8'));

update payment_intent_metadata m set chain = p.chain, status = p.status
from payment_intents p
where p.id = m.intent_id
  and m.intent_id in (select intent_id from payment_intent_metadata group by intent_id having count(*) <= 20);

insert into payment_intent_metadata (merchant_id, mode, entry, intent_id, chain, status)
select distinct p.merchant_id, p.mode, payer_entry(t.sender), p.id, p.chain, p.status
from transfers t join payment_intents p on p.id = t.intent_id;

create index payment_intent_metadata_list
  on payment_intent_metadata (merchant_id, mode, entry, chain, status, intent_id);
create index payment_intent_metadata_status on payment_intent_metadata (intent_id) where chain is not null;
create index payment_intent_metadata_many on payment_intent_metadata (merchant_id, mode, entry, intent_id)
  where chain is null;

-- Triggers, since servers of the release before write too, and an operator may use SQL.
create function follow_intent_status() returns trigger language plpgsql as $$
begin
  update payment_intent_metadata set status = new.status
  where intent_id = new.id and chain is not null;
  return null;
end
$$;
create trigger follow_status after update of status on payment_intents
  for each row when (old.status is distinct from new.status) execute function follow_intent_status();

-- Invariant: an intent has the entry of each account whose transfer is credited to it, also of one that the chain took
-- back. What credits has locked the intent, so its status does not change meanwhile.
create function add_payers() returns trigger language plpgsql as $$
begin
  insert into payment_intent_metadata (merchant_id, mode, entry, intent_id, chain, status)
  select distinct p.merchant_id, p.mode, payer_entry(t.sender), p.id, p.chain, p.status
  from inserted t join payment_intents p on p.id = t.intent_id
  on conflict do nothing;
  return null;
end
$$;
create trigger add_payers after insert on transfers
  referencing new table as inserted for each statement execute function add_payers();

create function move_payer() returns trigger language plpgsql as $$
begin
  delete from payment_intent_metadata m
  where m.intent_id = old.intent_id and m.chain is not null and m.entry = payer_entry(old.sender)
    and not exists (
      select from transfers t where t.intent_id = old.intent_id and t.sender = old.sender
    );
  insert into payment_intent_metadata (merchant_id, mode, entry, intent_id, chain, status)
  select p.merchant_id, p.mode, payer_entry(new.sender), p.id, p.chain, p.status
  from payment_intents p where p.id = new.intent_id
  on conflict do nothing;
  return null;
end
$$;
create trigger move_payer after update of intent_id on transfers
  for each row when (old.intent_id is distinct from new.intent_id) execute function move_payer();

-- Servers of the release before still walk `transfers_payer_intents`, so it stays until a later release drops it.
