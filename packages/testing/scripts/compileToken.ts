import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fetchPackages } from '../../../scripts/fetch/fetchPackages.ts'

const contract = new URL('../contracts/TestUsdc.sol', import.meta.url)

type Output = {
  errors?: { severity: string; formattedMessage: string }[]
  contracts: { 'TestUsdc.sol': { TestUsdc: { evm: { bytecode: { object: string } } } } }
}

/** Compiles the test token's source to its creation code; takes seconds. */
export async function compileToken(): Promise<`0x${string}`> {
  const load = createRequire(join(await fetchPackages('solidity'), 'package.json'))
  const solc = load('solc')
  const readImport = (path: string) => ({ contents: readFileSync(load.resolve(path), 'utf8') })
  const input = {
    language: 'Solidity',
    sources: { 'TestUsdc.sol': { content: readFileSync(contract, 'utf8') } },
    settings: {
      optimizer: { enabled: true, runs: 200 },
      evmVersion: 'cancun',
      outputSelection: { '*': { TestUsdc: ['evm.bytecode.object'] } },
    },
  }
  const output: Output = JSON.parse(solc.compile(JSON.stringify(input), { import: readImport }))
  const problems = output.errors ?? []
  if (problems.length > 0) {
    throw new Error(problems.map((problem) => problem.formattedMessage).join('\n'))
  }
  return `0x${output.contracts['TestUsdc.sol'].TestUsdc.evm.bytecode.object}`
}
