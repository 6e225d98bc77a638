import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { silentLogger } from '../../base/logger.ts'
import { OrphanFolders } from './orphan-folders.ts'

test('a folder whose mounts are in use is removed later, and one that is named twice once', async () => {
  const clock = new VirtualClock()
  const tried: string[] = []
  const remove = async (folder: string) => {
    tried.push(folder)
    if (tried.length < 3) throw new Error('target is busy')
  }
  const orphans = new OrphanFolders({ clock, log: silentLogger, remove })
  orphans.add('/pods/1')
  orphans.add('/pods/1')
  const stop = new AbortController()
  const done = orphans.run(stop.signal)
  await clock.advance(60_000)
  assert.deepEqual(tried, ['/pods/1', '/pods/1', '/pods/1'])
  stop.abort()
  await clock.advance(1000)
  await done
})
