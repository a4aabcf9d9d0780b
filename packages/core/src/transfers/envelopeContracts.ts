import type { Address } from '@payment-intents/contract'
import { type AbiParameter, parseAbiParameters } from 'viem'

/** ERC-4337 EntryPoint 0.6, 0.7, 0.8 and 0.9, at the same addresses on every chain. */
export const entryPoints: readonly Address[] = [
  '0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789',
  '0x0000000071727de22e5e9d8baf0edac6f37da032',
  '0x4337084d9e255ff0702461cf8895ce9e3b5ff108',
  '0x433709009b8330fda32311df1c2afa402ed8d009',
]

/** MetaMask's DelegationManager 1.3.0, at the same address on every chain. */
export const delegationManager: Address = '0xdb9b1e94b5b69df7e401ddbede43491141047db3'

/** The selector of ERC-20's `transfer`, without `0x`. */
export const transferSelector = 'a9059cbb'

/** A function that executes what accounts have signed. */
export type EnvelopeFunction<Inputs extends readonly AbiParameter[] = readonly AbiParameter[]> = {
  /** Without `0x`. */
  readonly selector: string
  readonly name: string
  readonly inputs: Inputs
}

const operation6 =
  'struct Operation { address sender; uint256 nonce; bytes initCode; bytes callData; uint256 callGasLimit; uint256 verificationGasLimit; uint256 preVerificationGas; uint256 maxFeePerGas; uint256 maxPriorityFeePerGas; bytes paymasterAndData; bytes signature; }'
const operation7 =
  'struct Operation { address sender; uint256 nonce; bytes initCode; bytes callData; bytes32 accountGasLimits; uint256 preVerificationGas; bytes32 gasFees; bytes paymasterAndData; bytes signature; }'
const handled = 'Operation[] operations, address beneficiary'
const batch = 'struct Batch { Operation[] userOps; address aggregator; bytes signature; }'
const batches = 'Batch[] batches, address beneficiary'

export const handleOps6 = {
  selector: '1fad948c',
  name: 'handleOps',
  inputs: parseAbiParameters([handled, operation6]),
} as const

export const handleOps7 = {
  selector: '765e827f',
  name: 'handleOps',
  inputs: parseAbiParameters([handled, operation7]),
} as const

export const handleAggregatedOps6 = {
  selector: '4b1d7cf5',
  name: 'handleAggregatedOps',
  inputs: parseAbiParameters([batches, batch, operation6]),
} as const

export const handleAggregatedOps7 = {
  selector: 'dbed18e0',
  name: 'handleAggregatedOps',
  inputs: parseAbiParameters([batches, batch, operation7]),
} as const

/** The function of a Safe. */
export const execTransaction = {
  selector: '6a761202',
  name: 'execTransaction',
  inputs: parseAbiParameters(
    'address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures',
  ),
} as const

/** The function of the DelegationManager. */
export const redeemDelegations = {
  selector: 'cef6d209',
  name: 'redeemDelegations',
  inputs: parseAbiParameters(
    'bytes[] permissionContexts, bytes32[] modes, bytes[] executionCallDatas',
  ),
} as const

/** The type of each context of `redeemDelegations`. */
export const delegationChain = parseAbiParameters([
  'Delegation[] delegations',
  'struct Delegation { address delegate; address delegator; bytes32 authority; Caveat[] caveats; uint256 salt; bytes signature; }',
  'struct Caveat { address enforcer; bytes terms; bytes args; }',
])
