-- How a merchant looks on the hosted page. A file has an address of its own, by its hash, so that browsers keep it for good.
create table merchant_brands (
  merchant_id text collate "C" primary key references merchants,
  -- #rrggbb in lower case; null: the page's own.
  accent text check (accent ~ '^#[0-9a-f]{6}$'),
  -- SHA-256 of the logo, base64url; null: none.
  logo_hash text collate "C",
  logo_type text check (logo_type in ('image/png', 'image/jpeg', 'image/webp')),
  logo bytea check (octet_length(logo) <= 100000),
  check (num_nulls(logo_hash, logo_type, logo) in (0, 3))
);
create index merchant_brands_logo on merchant_brands (logo_hash);
