import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const contract = new URL('../contracts/TestUsdc.sol', import.meta.url)

type Output = {
  errors?: { severity: string; formattedMessage: string }[]
  contracts: { 'TestUsdc.sol': { TestUsdc: { evm: { bytecode: { object: string } } } } }
}

/** The creation code of the test token, compiled from its source. */
export function compileToken(): `0x${string}` {
  // A WebAssembly compiler of several megabytes: loaded only when a build asks for it.
  const solc = require('solc')
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

function readImport(path: string): { contents: string } | { error: string } {
  try {
    return { contents: readFileSync(require.resolve(path), 'utf8') }
  } catch (error) {
    return { error: String(error) }
  }
}
