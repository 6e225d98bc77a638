import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../../base/clock.ts'
import { silentLogger } from '../../../base/logger.ts'
import type { ContainerStatus, Image } from '../../runtime/runtime.ts'
import type { AgentView } from '../../types/agent-part.ts'
import { ImageGarbage } from './image-garbage.ts'

const imageOf = (name: string): Image => ({ name, id: `sha256:${name}`, sizeBytes: 10 })
const limits = { highPercent: 85, lowPercent: 80, minimumAgeMs: 120_000, maximumAgeMs: 0 }

function stage() {
  const clock = new VirtualClock()
  const events: string[] = []
  const state = { images: ['a', 'b', 'c'].map(imageOf), used: ['a'], availableBytes: 50 }
  const runtime = {
    images: async () => state.images,
    containers: () => state.used.map((name) => ({ image: { name, id: `sha256:${name}` } }) as ContainerStatus),
    removeImage: async (id: string) => {
      state.images = state.images.filter((image) => image.id !== id)
      state.availableBytes += 10
    },
  }
  const disk = async () => ({ capacityBytes: 100, availableBytes: state.availableBytes, usedBytes: 0, inodes: 0, inodesFree: 0 })
  const garbage = new ImageGarbage({ runtime, disk, limits, clock, log: silentLogger })
  const agent = { recordNodeEvent: (_type: string, reason: string, message: string) => events.push(`${reason} ${message}`) }
  return { clock, events, state, run: (signal: AbortSignal) => garbage.run(agent as unknown as AgentView, signal) }
}

test('every five minutes, images that nothing uses make room; what cannot be had is an event', async () => {
  const { clock, events, state, run } = stage()
  const stop = new AbortController()
  const running = run(stop.signal)
  const names = () => state.images.map(({ name }) => name).join()
  await clock.advance(300_000)
  assert.equal(names(), 'a,b,c')
  state.availableBytes = 5
  state.used = ['a', 'c']
  await clock.advance(300_000)
  assert.equal(names(), 'a,c')
  assert.match(events[0] ?? '', /^FreeDiskSpaceFailed .* free 15 bytes, but only found 10 bytes eligible to free\.$/)
  state.used = ['a']
  state.availableBytes = 12
  await clock.advance(300_000)
  assert.equal(names(), 'a')
  stop.abort()
  await running
})
