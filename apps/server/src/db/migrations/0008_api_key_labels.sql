-- What a key is for, in the operator's words, and when it was last used, to the minute.
alter table api_keys add column label text not null default '', add column last_used_at timestamptz;
