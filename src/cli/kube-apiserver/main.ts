import { openPortEarly } from '../../base/opened-port.ts'
import { earlyPort } from './early-port.ts'

// Open the port before loading the code: a client that polls for readiness then blocks on its first connection instead of sleeping between
// retries.
const words = process.argv.slice(2)
const at = earlyPort(words)
const opening = at && openPortEarly(at)
opening?.catch(() => {})
const { runKubeApiServer } = await import('./run.ts')
await runKubeApiServer(words, opening)
