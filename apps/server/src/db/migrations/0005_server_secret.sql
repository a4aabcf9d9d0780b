-- Tells whether a server has the SERVER_SECRET from which the client secrets and webhook secrets of this database were
-- derived: an HMAC of a fixed text, from which the secret cannot be had.
create table server_secret (
  only_row boolean primary key default true check (only_row),
  fingerprint text not null
);
