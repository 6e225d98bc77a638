import { quiet } from '../../../base/quiet.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import type { Client, ResourceRef } from '../../../sdk/client/client.ts'
import { keyOf } from '../trial-base.ts'

/** What became of an object. */
export interface ObjectEvent {
  readonly atMs: number
  /** `KIND NAMESPACE/NAME`. */
  readonly key: string
  /** `RESOURCE NAMESPACE/NAME`, as requests name it. */
  readonly lane: string
  readonly what: 'came' | 'changed' | 'went'
}

/** Records objects until it is disposed of. */
export interface ObjectHistory extends AsyncDisposable {
  readonly events: readonly ObjectEvent[]
}

/** More events than a reader can use. */
const MOST_EVENTS = 10_000
const WORDS: Readonly<Record<string, ObjectEvent['what']>> = { ADDED: 'came', MODIFIED: 'changed', DELETED: 'went' }

/** Watches collections, and writes down what happens in them; resolves when it looks at all of them. */
export async function watchHistory(client: Client, refs: readonly ResourceRef[], nowMs: () => number): Promise<ObjectHistory> {
  const events: ObjectEvent[] = []
  const stop = new AbortController()
  const follow = async (ref: ResourceRef, resourceVersion: string) => {
    for await (const batch of client.watch(ref, { resourceVersion, signal: stop.signal }))
      for (const { type, object } of batch) {
        const what = WORDS[type]
        if (what === undefined || events.length >= MOST_EVENTS || !('metadata' in object)) continue
        const found = object as Readonly<KubeObject>
        const { namespace, name } = found.metadata
        const lane = `${ref.resource} ${namespace === undefined ? '' : `${namespace}/`}${name}`
        events.push({ atMs: nowMs(), key: keyOf(found), lane, what })
      }
  }
  const following: Promise<void>[] = []
  for (const ref of refs) {
    const { metadata } = await client.list(ref)
    following.push(quiet(follow(ref, metadata.resourceVersion ?? ''), 'a watch that ends early only leaves less on the page'))
  }
  return {
    events,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await Promise.all(following)
    },
  }
}
