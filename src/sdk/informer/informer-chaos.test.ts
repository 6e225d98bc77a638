import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { VirtualClock } from '../../base/clock.ts'
import { seededRandom } from '../../base/random.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { StatusError } from '../../machinery/status-error.ts'
import { PODS } from '../../resources/refs.ts'
import type { Client, ListOptions, WatchEvent, WatchOptions } from '../client/client.ts'
import { createInformer } from './create-informer.ts'

type Change = { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: KubeObject }

/** A server whose collection changes as the test says, and which serves its watches as badly as a network and a server can. */
class ChaoticServer {
  revision = 1
  compacted = 0
  /** How many of the next lists fail. */
  failing = 0
  /** Lists that may be answered from a cache are this many revisions behind. */
  behind = 0
  readonly objects = new Map<string, KubeObject>()
  readonly #log: Change[] = []
  readonly #watches = new Set<{ at: number; state: 'open' | 'ended' | 'broken' | 'dead'; wake: () => void }>()

  write(name: string, what: 'set' | 'delete' | 'anew'): void {
    const old = this.objects.get(name)
    if (old !== undefined && what !== 'set') this.#commit('DELETED', name, String(old.metadata.uid))
    if (what === 'delete') return
    if (what === 'set' && old !== undefined) this.#commit('MODIFIED', name, String(old.metadata.uid))
    else this.#commit('ADDED', name, `${name}-${this.revision}`)
  }

  compact(): void {
    this.compacted = this.revision
  }

  /** Ends, breaks or silences all watches, or sends the last changes once more. */
  disturb(how: 'ended' | 'broken' | 'dead' | 'again'): void {
    for (const watch of this.#watches) {
      if (how === 'again') watch.at = Math.max(1, watch.at - 3)
      else if (watch.state === 'open') watch.state = how
      watch.wake()
    }
  }

  client(): Client {
    const list = async (_: unknown, options: ListOptions = {}) => {
      if (this.failing > 0) {
        this.failing--
        throw new StatusError({ code: 503, message: 'away' })
      }
      const at = options.resourceVersion === '0' ? Math.max(this.compacted, this.revision - this.behind, 1) : this.revision
      return { apiVersion: 'v1', kind: 'PodList', metadata: { resourceVersion: String(at) }, items: [...this.#stateAt(at).values()] }
    }
    const watch = (_: unknown, options: WatchOptions = {}) => this.#serve(Number(options.resourceVersion), options.signal)
    return { list, watch } as unknown as Client
  }

  async *#serve(from: number, signal: AbortSignal | undefined): AsyncGenerator<readonly WatchEvent[]> {
    if (from < this.compacted) throw new StatusError({ code: 410, reason: 'Expired', message: 'too old' })
    const watch = { at: from, state: 'open' as 'open' | 'ended' | 'broken' | 'dead', wake: () => {} }
    this.#watches.add(watch)
    const stop = () => watch.wake()
    signal?.addEventListener('abort', stop)
    try {
      while (!signal?.aborted) {
        const woken = new Promise<void>((resolve) => {
          watch.wake = resolve
        })
        if (watch.state === 'ended') return
        if (watch.state === 'broken') throw new StatusError({ code: 503, message: 'the connection broke' })
        const batch = this.#log.filter((c) => Number(c.object.metadata.resourceVersion) > watch.at)
        if (watch.state === 'open' && batch.length > 0) {
          watch.at = this.revision
          yield batch
        } else await woken
      }
    } finally {
      signal?.removeEventListener('abort', stop)
      this.#watches.delete(watch)
    }
  }

  #commit(type: Change['type'], name: string, uid: string): void {
    const metadata = { name, namespace: 'd', uid, resourceVersion: String(++this.revision) }
    const object = { apiVersion: 'v1', kind: 'Pod', metadata }
    if (type === 'DELETED') this.objects.delete(name)
    else this.objects.set(name, object)
    this.#log.push({ type, object })
    for (const watch of this.#watches) watch.wake()
  }

  #stateAt(revision: number): Map<string, KubeObject> {
    const state = new Map<string, KubeObject>()
    for (const { type, object } of this.#log) {
      if (Number(object.metadata.resourceVersion) > revision) break
      if (type === 'DELETED') state.delete(String(object.metadata.name))
      else state.set(String(object.metadata.name), object)
    }
    return state
  }
}

const name = fc.constantFrom('a', 'b', 'c')
const write = fc.record({
  do: fc.constant('write' as const),
  name,
  what: fc.constantFrom('set' as const, 'delete' as const, 'anew' as const),
})
const step = fc.oneof(
  { weight: 6, arbitrary: write },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('disturb' as const), how: fc.constantFrom('ended', 'broken', 'dead', 'again') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('compact' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('fail' as const), lists: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(0, 1, 1000, 5000, 700_000) }) },
)

test('property: each object is reported as added, updated, deleted, and the store is right in the end', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.integer({ min: 0, max: 5 }), fc.integer(), async (steps, behind, seed) => {
      const clock = new VirtualClock()
      const server = new ChaoticServer()
      for (const first of ['a', 'b']) server.write(first, 'set')
      server.behind = behind
      const informer = createInformer({ client: server.client(), target: PODS, clock, random: seededRandom(seed) })
      const reported = new Map<string, string>()
      const faults: string[] = []
      const expect = (ok: boolean, what: string) => ok || faults.push(what)
      informer.addHandler({
        added: ({ metadata: { name = '', uid = '' } }) => {
          expect(!reported.has(name), `added ${uid}, while ${reported.get(name)} is there`)
          reported.set(name, uid)
        },
        updated: ({ metadata: { name = '', uid } }, old) => {
          expect(
            reported.get(name) === uid && old.metadata.uid === uid,
            `updated ${uid} from ${old.metadata.uid}, ${reported.get(name)} is there`,
          )
        },
        deleted: ({ metadata: { name = '', uid } }) => {
          expect(reported.get(name) === uid, `deleted ${uid}, while ${reported.get(name)} is there`)
          reported.delete(name)
        },
      })
      const stop = new AbortController()
      const running = informer.run(stop.signal)
      for (const s of steps) {
        if (s.do === 'write') server.write(s.name, s.what)
        else if (s.do === 'disturb') server.disturb(s.how as 'ended')
        else if (s.do === 'compact') server.compact()
        else if (s.do === 'fail') server.failing = s.lists
        else await clock.advance(s.ms)
      }
      server.failing = 0
      // Longer than any watch may last, so that a silent one was found out.
      await clock.advance(1_300_000)
      stop.abort()
      await running
      assert.deepEqual(faults, [])
      const versions = (objects: Iterable<Readonly<KubeObject>>) =>
        [...objects].map((o) => `${o.metadata.uid}@${o.metadata.resourceVersion}`).sort()
      assert.deepEqual(versions(informer.list()), versions(server.objects.values()))
      assert.deepEqual([...reported.values()].sort(), [...server.objects.values()].map((o) => o.metadata.uid).sort())
    }),
    { numRuns: 150 },
  )
})

test('a list at a version that the server does not have is followed by one of the latest', async () => {
  const clock = new VirtualClock()
  const server = new ChaoticServer()
  server.write('a', 'set')
  const { list, watch } = server.client()
  const requested: (string | undefined)[] = []
  const client = {
    watch,
    list: (target: typeof PODS, options: ListOptions) => {
      requested.push(options.resourceVersion)
      if (options.resourceVersion !== undefined)
        throw new StatusError({ code: 504, reason: 'Timeout', message: 'Too large resource version' })
      return list(target, options)
    },
  } as unknown as Client
  const informer = createInformer({ client, target: PODS, clock, random: seededRandom(1) })
  const stop = new AbortController()
  const running = informer.run(stop.signal)
  await clock.advance(5000)
  assert.deepEqual(requested, ['0', undefined])
  assert.equal(informer.size, 1)
  stop.abort()
  await running
})
