import './stack.ts'
// Tests that need a unique amount run first; the others do not depend on earlier payments.
import './paymentExceptions.ts'
import './payment.ts'
import './accessibility.ts'
import './hosted/hosted.ts'
import './hosted/brand.ts'
import './linkPayment.ts'
import './phone.ts'
// From here on, the service submits payers' signatures.
import './gaslessPayment.ts'
import './orderRefund.ts'
// These advance the chain's clock.
import './late.ts'
import './development.ts'
