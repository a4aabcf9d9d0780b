export {
  createTestService,
  type TestService,
  type TestServiceOptions,
} from './createTestService.ts'
export type { Failure } from './failures.ts'
export type {
  Simulation,
  TestPayment,
  TestPayout,
  TestTransfer,
  TestUnderpayment,
} from './simulation.ts'
