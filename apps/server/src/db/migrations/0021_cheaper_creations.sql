-- Each of these checks cost every creation a query and a lock, and creations of one merchant at once a multixact. An intent is
-- created for the merchant of an API key, and no merchant is ever deleted. An event is written with its intent, or while the
-- intent's row is locked; retention locks the row too, and deletes no intent that has an event.
alter table payment_intents drop constraint payment_intents_merchant_id_fkey;
alter table events drop constraint events_intent_id_fkey;

-- No statement reads it: the wallets that are watched say since when a chain is of interest.
drop index payment_intents_open_since;
