import { runningScript } from '../open/runningScript.ts'
import { mountLink } from './mountLink.tsx'

// The script tag's second file, which it loads for a payment link: exports on its own script element, not by a global.

Object.assign(runningScript() ?? {}, { mountLink })
