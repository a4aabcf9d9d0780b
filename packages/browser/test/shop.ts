import { openServiceModal } from '../src/index.ts'

// The script of a shop that imports the checkout.
Object.assign(window, { openServiceModal })
