/** docs/autoscaling.md, docs/eviction.md, docs/volumes.md and docs/kubectl-plugins.md, walked with the real kubectl. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { VirtualClock } from '../src/base/clock.ts'
import { startCluster } from '../src/testing/start-cluster.ts'
import { installed, pageSteps } from './walked-page.ts'

/** Without what differs each time; columns are two blanks apart. */
const clean = (text: string): string =>
  text
    .replaceAll(/\bweb-[a-z0-9]+-[a-z0-9]{5}\b/g, 'web-POD')
    .replaceAll(/^(bowsprit )\S+(.*node )\S+/gm, '$1VERSION$2VERSION)')
    .replaceAll(/\bpvc-[0-9a-f-]{36}/g, 'VOLUME')
    .replaceAll(/^\/\S+(?=\/kubectl-)/gm, 'FOLDER')
    .replaceAll(/(?<= {2})\d+[ms](\d+s)?$/gm, 'AGE')
    .replaceAll(/ +$/gm, '')
    .replaceAll(/ {2,}/g, '  ')
    .trim()

/** Walks a page in a cluster whose time runs a hundred times as fast as ours. */
async function walk(t: TestContext, page: string, steps: number): Promise<void> {
  const found = pageSteps(page)
  assert.equal(found.length, steps)
  const clock = new VirtualClock(Date.now())
  await using cluster = await startCluster({ nodes: 2 }, { clock })
  const stop = new AbortController()
  const time = (async () => {
    while (!stop.signal.aborted) {
      await clock.advance(1000)
      await pause(10)
    }
  })()
  try {
    const sh = await installed(t, cluster)
    for (const { script, shown } of found) {
      const { out, err } = await sh(`${script}\n`)
      assert.equal(clean(out + err), shown.trim())
    }
  } finally {
    stop.abort()
    await time
  }
}

test('what docs/autoscaling.md shows is what comes', (t) => walk(t, 'autoscaling.md', 3))
test('what docs/eviction.md shows is what comes', (t) => walk(t, 'eviction.md', 4))
test('what docs/volumes.md shows is what comes', (t) => walk(t, 'volumes.md', 2))
test('what docs/kubectl-plugins.md shows is what comes', (t) => walk(t, 'kubectl-plugins.md', 2))
