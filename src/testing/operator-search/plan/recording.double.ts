import type { ResourceRef } from '../../../machinery/api-call.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import type { ObjectChange, OperatorCall, RestState } from '../history.ts'
import type { ForkPoint, Recording, WritePoint } from '../run/record-workload.ts'
import type { WorkStep } from '../work-step.ts'

/** A step in short. */
export interface ShortStep {
  readonly name: string
  readonly apply?: readonly KubeObject[]
  readonly remove?: readonly KubeObject[]
  /**
   * What happens, one after the other: `VERB RESOURCE NAME [SIZE]` is a write of the operator (`create configmaps a 1`), with `refused`
   * before it one that the API server does not accept, with `user` before it one by another client.
   */
  readonly happens: readonly string[]
}

const KINDS: Readonly<Record<string, string>> = { configmaps: 'ConfigMap', databases: 'Database' }
const refOf = (resource: string): ResourceRef => ({ group: resource === 'databases' ? 'example.com' : '', version: 'v1', resource })

/** The sample of these recordings, of this size. */
export const sample = (size: number): KubeObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Database',
  metadata: { name: 'd', namespace: 'default' },
  spec: { size },
})

/** What recording these steps would give, of an operator that watches databases and config maps. No cluster can be forked. */
export function recordingOf(steps: readonly ShortStep[]): Recording {
  const taken = new RecordingInProgress()
  for (const [i, step] of steps.entries()) taken.run(i, step)
  return { ...taken, steps: steps.map(({ happens: _, ...step }): WorkStep => step), history: { ...NOTHING, ...taken } }
}

const NOTHING = { marks: [], refusals: new Map<number, string>(), deaths: [] }
const checkpoint: ForkPoint['checkpoint'] = { fork: () => Promise.reject(new Error('there is no cluster')) }

class RecordingInProgress {
  readonly calls: OperatorCall[] = ['databases', 'configmaps'].map((resource, seq) => ({
    seq,
    life: 1,
    step: -1,
    atMs: 0,
    verb: 'watch',
    target: refOf(resource),
    writes: false,
  }))
  readonly changes: ObjectChange[] = []
  readonly rests: RestState[] = []
  readonly writePoints: WritePoint[] = []
  readonly restPoints: ForkPoint[] = [this.#point(-1)]
  readonly #objects = new Map<string, KubeObject>()

  run(step: number, { happens }: ShortStep): void {
    for (const line of happens) this.#happens(step, line.split(' '))
    this.rests.push({ step, objects: [...this.#objects.values()], restless: undefined, failing: undefined })
    this.restPoints.push(this.#point(step))
  }

  #point(step: number): ForkPoint {
    return { checkpoint, step, actions: 1, changes: this.changes.length }
  }

  #happens(step: number, words: readonly string[]): void {
    const [who, ...what] = words
    if (who === 'user') return void this.#change(step, what)
    const isRefused = who === 'refused'
    const [verb = '', resource = '', name = ''] = isRefused ? what : words
    const target = { ...refOf(resource), namespace: 'default', name }
    const call: OperatorCall = { seq: this.calls.length, life: 1, step, atMs: 0, verb: verb as OperatorCall['verb'], target, writes: true }
    this.calls.push(call)
    this.writePoints.push({ ...this.#point(step), call, when: 'before' })
    call.code = isRefused ? 422 : 200
    if (!isRefused) call.revision = String(this.#change(step, words))
    this.writePoints.push({ ...this.#point(step), call, when: 'after' })
  }

  /** Returns the revision of the change. */
  #change(step: number, [verb, resource = '', name = '', size]: readonly string[]): number {
    const key = `${KINDS[resource]} default/${name}`
    const before = this.#objects.get(key)
    const revision = this.changes.length + 1
    const uid = before?.metadata.uid ?? String(revision)
    const metadata = { name, namespace: 'default', uid, resourceVersion: String(revision) }
    const now: KubeObject = { apiVersion: 'v1', kind: KINDS[resource] ?? '', metadata, spec: { size: Number(size) } }
    const object = verb === 'delete' ? (before ?? now) : now
    if (verb === 'delete') this.#objects.delete(key)
    else this.#objects.set(key, object)
    const type = verb === 'delete' ? 'DELETED' : before === undefined ? 'ADDED' : 'MODIFIED'
    this.changes.push({ type, revision, step, atMs: 0, key, ref: refOf(resource), object, before })
    return revision
  }
}
