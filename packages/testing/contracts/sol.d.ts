/** The build compiles the contract; what is imported is its creation code. */
declare module '*.sol' {
  const creationCode: `0x${string}`
  export default creationCode
}
