import { formatEther } from 'viem'
import { connect } from '../../chain/rpc/rpcConnection.ts'
import { RpcError } from '../../chain/rpc/rpcError.ts'
import { type ChainConfig, rpcVariable } from '../../config/readChainConfig.ts'
import { relayerVariable } from '../../config/relayer.ts'
import { openSigner } from '../../relayer/account/openSigner.ts'
import { newFees } from '../../relayer/rpc/fees.ts'
import { createRelayRpc } from '../../relayer/rpc/relayRpc.ts'
import { usualGas } from '../../relayer/rpc/tokenCall.ts'
import { checkMs, type Finding, fail, ok, warn } from './finding.ts'

/** A busy shop uses up a balance for fewer payments within an hour. */
const fewPayments = 100n

/** Checks how many payments the balance of a chain's relayer covers. Empty without a relayer. */
export async function checkRelayer({ facts, relayer, rpcUrls }: ChainConfig): Promise<Finding[]> {
  const [url] = rpcUrls
  if (!relayer || !url) return []
  const check = `relayer ${facts.name}`
  const { address } = openSigner(relayer.key)
  const connection = connect(url, { timeoutMs: checkMs })
  try {
    const rpc = createRelayRpc(connection)
    const [price, balance, separator] = await Promise.all([
      rpc.price(facts.chainId),
      rpc.balance(address),
      rpc.domainSeparator(facts.usdc),
    ])
    const payments = balance / (usualGas * (price.base + price.tip))
    const summary = `${address} has ${formatEther(balance)} ${facts.nativeSymbol}, enough for ${payments} payments at the current gas price`
    const todo = `send ${facts.nativeSymbol} to that account`
    const findings = [
      payments >= fewPayments
        ? ok(check, summary)
        : payments >= 5n
          ? warn(check, summary, todo)
          : fail(check, summary, `${todo}; until then payers need gas of their own`),
    ]
    if (separator !== facts.usdcDomainSeparator) {
      const domain = 'the token’s EIP-712 domain differs from the domain that payers sign for'
      findings.push(fail(check, domain, `use another URL in ${rpcVariable(facts)}`))
    }
    if (!newFees(price, relayer.maxFeePerGas)) {
      const dear = 'the gas price is above the relayer’s limit'
      const variable = relayerVariable('MAX_FEE_GWEI', facts)
      findings.push(warn(check, dear, `wait, or raise ${variable}`))
    }
    return findings
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    return [fail(check, error.message, `use another URL in ${rpcVariable(facts)}`)]
  } finally {
    connection.close()
  }
}
