-- Where a payer reaches the merchant: a mail address or an https URL, which checkouts show. A catalog change only.
alter table merchants add column support text check (char_length(support) between 1 and 200);
