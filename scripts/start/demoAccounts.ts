/** Accounts of the development chains' mnemonic, whose keys everybody knows. */

/** Submits what payers authorize, and pays for the gas: account 8. */
export const relayerKey = '0xdbda1821b80551c9d65939329250298aa3472ba22feea921c0cf5d620ea67b97'

/**
 * The demo merchant is paid here: account 10, the first without initial money, so that no transfer to it precedes the first order. Its key
 * pays refunds.
 */
export const merchantWallet = '0xBcd4042DE499D14e55001CcbB24a551F3b954096'
export const refundKey = '0xf214f2b2cd398c806f84e317254e0f0b801d0643303237d97a22a48e01628897'

/** Holds test USDC and no ETH: account 7, which the demo wallet has at `?account=7`. */
export const accountWithoutGas = '0x14dC79964da2C08b23698B3D3cc7Ca32193d9955'
