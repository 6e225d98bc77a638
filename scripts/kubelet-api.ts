/**
 * `npm run kubelet-api -- FILE [STORY…]`: sends the recorded requests of a kubelet's own server (and those that reach it through the API
 * server, and kubectl) to ours, and prints how many it answers as the real one did. With stories (parts of their names) only those; `--show
 * N` prints what differs.
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { playGroups } from '../test/node/kubelet-api/play.ts'
import type { Group } from '../test/node/kubelet-api/recording.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { show: { type: 'string', default: '20' }, list: { type: 'boolean' } },
})
const [file, ...names] = positionals
if (file === undefined) {
  console.error('name a file of requests: npm run kubelet-api -- ../shared/upstream/node/kubelet-api.json')
  process.exit(2)
}
const { groups } = JSON.parse(readFileSync(file, 'utf8')) as { groups: readonly Group[] }
const results = await playGroups(groups.filter((g) => names.length === 0 || names.some((n) => g.story.includes(n))))
const failed = results.filter((r) => r.differences.length > 0)
for (const { name, differences } of failed.slice(0, Number(values.show)))
  console.log(`FAIL ${name}\n     ${differences.slice(0, 4).join('\n     ')}`)
if (values.list) for (const r of results) console.log(`${r.differences.length === 0 ? 'ok' : 'no'} ${r.name}`)
console.log(`passed ${results.length - failed.length}, failed ${failed.length}`)
process.exit(0)
