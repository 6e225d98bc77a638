/** The recorded stories of pods, played on the agent; those that still differ are in a list with reasons, which may only become shorter. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { upstream } from '../upstream.ts'
import { playStories } from './pod-stories/play-stories.ts'
import type { Story } from './pod-stories/story.ts'

const recording = path.join(upstream, 'node', 'pod-stories.json')
/** Recordings that this project made for cases without others. */
const own = path.join(import.meta.dirname, 'pod-stories', 'recorded.json')
const list = path.join(import.meta.dirname, 'pod-stories', 'known-differences.txt')

/** `# reason`, then the names of the stories that differ for it. */
function known(): Set<string> {
  const lines = readFileSync(list, 'utf8').split('\n')
  return new Set(lines.map((l) => l.trim()).filter((l) => l !== '' && !l.startsWith('#')))
}

test('the agent reports the stories of pods as the real kubelet did', async () => {
  const { stories } = JSON.parse(readFileSync(recording, 'utf8')) as { stories: readonly Story[] }
  const results = await playStories(stories)
  const expected = known()
  const worse = results.filter((r) => r.differences.length > 0 && !expected.has(r.story))
  const better = results.filter((r) => r.differences.length === 0 && expected.has(r.story)).map((r) => r.story)
  assert.deepEqual(worse, [])
  assert.deepEqual(better, [], 'these are told right now: take them off the list')
})

test('nor does it differ in the stories that this project recorded itself', async () => {
  const { stories } = JSON.parse(readFileSync(own, 'utf8')) as { stories: readonly Story[] }
  const results = await playStories(stories)
  assert.deepEqual(
    results.filter((r) => r.differences.length > 0),
    [],
  )
})
