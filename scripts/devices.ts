/**
 * `npm run devices -- FILE`: plays the recorded facts of device plugins on a node of ours (its sockets are real, its plugin is the
 * recording's), and prints how many
 * were seen as with the real kubelet, and what differs.
 */
import { readFileSync } from 'node:fs'
import type { Fact } from '../test/devices/device-stories/compare-facts.ts'
import { playDevices } from '../test/devices/device-stories/play-devices.ts'

const [file] = process.argv.slice(2)
if (file === undefined) {
  console.error('name a file of facts: npm run devices -- ../shared/upstream/node/devices.json')
  process.exit(2)
}
const results = await playDevices(JSON.parse(readFileSync(file, 'utf8')) as readonly Fact[])
const failed = results.filter((r) => r.differences.length > 0)
for (const { fact, differences } of failed) console.log(`FAIL ${fact}\n     ${differences.join('\n     ').slice(0, 3000)}`)
console.log(`passed ${results.length - failed.length}, failed ${failed.length}`)
process.exit(0)
