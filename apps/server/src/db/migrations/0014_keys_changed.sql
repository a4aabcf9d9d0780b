-- Servers keep API keys and their merchants in memory, and drop them when one has changed.

create function notify_keys_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('keys_changed', '');
  return null;
end
$$;

-- Not for a key's last use, nor a new key, which no server has.
create trigger keys_changed after update of hash, merchant_id, mode, revoked_at or delete or truncate
  on api_keys execute function notify_keys_changed();
create trigger keys_changed after update of default_chain, closed_at or delete or truncate
  on merchants execute function notify_keys_changed();
create trigger keys_changed after insert or update or delete or truncate
  on merchant_wallets execute function notify_keys_changed();
create trigger keys_changed after insert or update or delete or truncate
  on allowed_wallets execute function notify_keys_changed();
