import './stack.ts'
// Tests that need a unique amount run first; the others do not depend on earlier payments.
import './exceptions.ts'
import './payment.ts'
import './gasless.ts'
import './accessibility.ts'
import './hosted.ts'
import './phone.ts'
// These advance the chain's clock.
import './late.ts'
import './development.ts'
