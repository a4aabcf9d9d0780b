-- Chains are data of the contract: a list of them here would ask for a migration with each new one.
alter table merchants drop constraint merchants_default_chain_check;
alter table merchant_wallets drop constraint merchant_wallets_chain_check;
