/** Two of the development chain's ten accounts, whose keys everybody knows. */

/** Submits what payers authorize, and pays for the gas: account 8. */
export const relayerKey = '0xdbda1821b80551c9d65939329250298aa3472ba22feea921c0cf5d620ea67b97'

/** Holds test USDC and no ETH: account 7, which the demo wallet has at `?account=7`. */
export const accountWithoutGas = '0x14dC79964da2C08b23698B3D3cc7Ca32193d9955'
