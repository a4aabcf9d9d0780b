export type { Simulation, TestPayment, TestPayout, TestTransfer, TestUnderpayment } from './acts.ts'
export {
  createTestService,
  type TestService,
  type TestServiceOptions,
} from './createTestService.ts'
export type { Failure } from './failures.ts'
