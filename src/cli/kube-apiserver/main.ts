import { openPortEarly } from '../../base/opened-port.ts'
import { quiet } from '../../base/quiet.ts'
import { earlyPort } from './early-port.ts'

// Open the port before loading the code: a client that polls for readiness then blocks on its first connection instead of sleeping between
// retries.
const words = process.argv.slice(2)
const at = earlyPort(words)
const opening = at && openPortEarly(at)
if (opening !== undefined) void quiet(opening, '`run.ts` reports it')
const { runKubeApiServer } = await import('./run.ts')
await runKubeApiServer(words, opening)
