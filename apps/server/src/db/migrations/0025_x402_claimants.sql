-- What was paid for with an authorization is given out once, to one request of `claimed_by`, who handed it in first. That is
-- stored before anybody else can see the payment, and holds for good.
alter table authorizations add column given_out_to text;
update authorizations set given_out_to = claimed_by where claimed_at = 'infinity';
alter table authorizations drop column claimed_at;
