import { runningScript } from '../open/runningScript.ts'
import { mountLink } from './mountLink.tsx'

// The script tag's second file, which it loads for a payment link: hands itself over on its own element, not by a global.

Object.assign(runningScript() ?? {}, { mountLink })
