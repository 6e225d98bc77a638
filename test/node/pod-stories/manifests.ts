import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Clock } from '../../../src/base/clock.ts'
import { silentLogger } from '../../../src/base/logger.ts'
import { openStaticPods } from '../../../src/node/static-pods/open-static-pods.ts'
import type { StaticPodFeed } from '../../../src/node/static-pods/static-pod-feed.ts'
import type { Story } from './story.ts'

/** The folder of static pods of a story. */
export interface Manifests extends AsyncDisposable {
  /** Writes a file, or removes it. */
  write(name: string, text: string | undefined): void
  /** For an agent; empty if the story has no static pods. */
  feed(clock: Clock): { readonly staticPods?: StaticPodFeed }
}

/** The pod of a story about a static pod, with the name that its node gives it. */
export function manifestPod(story: Story): Story['pod'] {
  const step = story.steps.find((s) => s.do === 'file')
  if (step === undefined) return undefined
  const object = step.object as { metadata?: { namespace?: string }; spec?: object } | undefined
  const namespace = object?.metadata?.namespace
  return { metadata: { name: story.story, ...(namespace && { namespace }) }, spec: { ...object?.spec } }
}

export function openManifests(story: Story): Manifests {
  if (!story.steps.some((s) => s.do === 'file')) {
    return { write() {}, feed: () => ({}), async [Symbol.asyncDispose]() {} }
  }
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pod-story-'))
  const watchers = new Set<() => void>()
  return {
    write(name, text) {
      const file = path.join(folder, name)
      if (text === undefined) rmSync(file, { force: true })
      else writeFileSync(file, text)
      for (const changed of watchers) changed()
    },
    feed(clock) {
      const config = { paths: [folder], fileCheckMs: 2000, url: undefined, urlHeaders: {}, httpCheckMs: 20_000 }
      // Changes are announced by the story: file system events come at an unknown point of virtual time.
      const watchFolder = (_folder: string, changed: () => void) => {
        watchers.add(changed)
        return { close: () => void watchers.delete(changed) }
      }
      return { staticPods: openStaticPods(config, 'node-1', { clock, log: silentLogger, watchFolder }) }
    },
    async [Symbol.asyncDispose]() {
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
