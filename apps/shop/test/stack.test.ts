import './stack.ts'
// What needs an amount for itself comes first; then nothing depends on what was there before.
import './exceptions.ts'
import './payment.ts'
import './accessibility.ts'
import './hosted.ts'
// These put the clock of the chain ahead.
import './late.ts'
import './development.ts'
