/**
 * `npm run pod-stories -- FILE [NAME…]`: plays the recorded stories of pods on the node agent, over a scripted runtime and an API server in
 * this process, and prints how many it tells as the real kubelet did. With names (parts of them) only those stories; `--show N` prints what
 * differs.
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { playStories } from '../test/node/pod-stories/play-stories.ts'
import type { Story } from '../test/node/pod-stories/story.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { show: { type: 'string', default: '20' }, list: { type: 'boolean' } },
})
const [file, ...names] = positionals
if (file === undefined) {
  console.error('name a file of stories: npm run pod-stories -- ../shared/upstream/node/pod-stories.json')
  process.exit(2)
}
const { stories } = JSON.parse(readFileSync(file, 'utf8')) as { stories: readonly Story[] }
const results = await playStories(stories.filter((s) => names.length === 0 || names.some((n) => s.story.includes(n))))
const failed = results.filter((r) => r.differences.length > 0)
for (const { story, differences } of failed.slice(0, Number(values.show)))
  console.log(`FAIL ${story}\n     ${differences.slice(0, 4).join('\n     ')}`)
if (values.list) for (const r of results) console.log(`${r.differences.length === 0 ? 'ok' : 'no'} ${r.story}`)
console.log(`passed ${results.length - failed.length}, failed ${failed.length}`)
process.exit(0)
