import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
const networkOf = (address: string) => `${address}/${address.includes(':') ? 128 : 32}`

/**
 * Gives the loopback interface an address, so that packets of pods for it end on their own node. It may be there from an agent before, and
 * stays when the agent ends: the next one answers at once.
 */
export async function addLoopbackAddress(address: string): Promise<void> {
  await run('ip', ['address', 'replace', networkOf(address), 'dev', 'lo', 'scope', 'host'])
}

export async function removeLoopbackAddress(address: string): Promise<void> {
  await run('ip', ['address', 'delete', networkOf(address), 'dev', 'lo'])
}
