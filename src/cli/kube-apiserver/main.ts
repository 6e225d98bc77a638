import { openPortEarly } from '../../base/opened-port.ts'
import { earlyPort } from './early-port.ts'

// The port is open before the code is read: who looks whether the server is there, again and again with a pause between, waits for the
// answer in place of the pause.
const words = process.argv.slice(2)
const at = earlyPort(words)
const opening = at && openPortEarly(at)
opening?.catch(() => {})
const { runKubeApiServer } = await import('./run.ts')
await runKubeApiServer(words, opening)
