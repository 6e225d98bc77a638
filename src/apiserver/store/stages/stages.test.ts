import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Steps } from '../../../base/steps.ts'
import { nextTurn } from '../../../base/turns.ts'
import type { KubeObject, ObjectMeta } from '../../../machinery/object.ts'
import { isStatus } from '../../../machinery/status-error.ts'
import { LatelyCreated } from '../lately-created.ts'
import { storeDouble, widget } from '../store.double.ts'
import type { StoreDeps } from '../write.ts'
import { check } from './check.ts'
import { matchRevision } from './match-revision.ts'
import { mutate } from './mutate.ts'
import { prepareForCreate, prepareForUpdate } from './prepare.ts'
import { record } from './record.ts'
import { runStages, type Stage } from './run-stages.ts'
import { shareWithLike, shareWithOld } from './share.ts'
import { stamp } from './stamp.ts'
import { validate } from './validate.ts'
import { checkedOf, createWork, updateWork, type Work } from './work.ts'

/** Works on the widget `a`, of which a size of 1 is stored. */
async function stagesDouble() {
  const world = await storeDouble()
  const deps: StoreDeps = { ...world, writer: world.store.writer, lately: new LatelyCreated() }
  await world.store.create(world.write(), widget({ size: 1 }))
  const item = world.store.get(world.write())
  return {
    ...world,
    deps,
    created: (draft: KubeObject, how: Parameters<typeof world.write>[0] = {}) =>
      createWork(deps, world.write(how), { draft, tracked: false }),
    updated: (draft: KubeObject, how: Parameters<typeof world.write>[0] = {}) =>
      updateWork(deps, world.write(how), { draft, tracked: false, old: item.object, item }),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

const withMeta = (metadata: ObjectMeta, spec: object = { size: 2 }): KubeObject => ({ ...widget(spec), metadata })
const run = async (stage: Stage<Work>, work: Work) => runStages([stage], work)

test('record: the manager of a write owns what it sets, and a write without one is not recorded', async () => {
  await using world = await stagesDouble()
  const named = world.created(withMeta({ name: 'x', namespace: 'ns' }), { manager: 'kubectl' })
  await run(record, named)
  const entries = named.draft.metadata.managedFields ?? []
  assert.deepEqual(
    entries.map(({ manager, operation, fieldsV1 }) => [manager, operation, fieldsV1]),
    [['kubectl', 'Update', { 'f:spec': { '.': {}, 'f:size': {} } }]],
  )
  const unnamed = world.created(withMeta({ name: 'x', namespace: 'ns' }))
  await run(record, unnamed)
  assert.equal(unnamed.draft.metadata.managedFields, undefined)
})

test('a heavy object in the place of a light one is worked on in turns from then on', async () => {
  await using world = await stagesDouble()
  const light = world.created(withMeta({ name: 'x', namespace: 'ns' }))
  const order: string[] = []
  const replaced: Stage<Work> = async (work) => {
    work.draft = withMeta({ name: 'x', namespace: 'ns' }, { text: 'a'.repeat(200_000) })
  }
  const first: Stage<Work> = () => {
    order.push('first')
    nextTurn(() => order.push('others'))
  }
  const second: Stage<Work> = () => void order.push('second')
  await runStages([replaced, first, second], light)
  assert.deepEqual(order, ['first', 'others', 'second'])
})

test('mutate and validate: admission sees one request a write, before and after the object has its name', async () => {
  await using world = await stagesDouble()
  const seen: unknown[] = []
  const plugin = {
    name: 'Test',
    handles: () => true,
    mutate(request: { name: string; object: KubeObject | undefined }) {
      seen.push(request, request.name)
      if (request.object !== undefined) request.object.spec = { size: 7 }
    },
    validate: (request: { name: string; object: KubeObject | undefined }) => void seen.push(request, request.name),
  }
  const work = world.created(withMeta({ generateName: 'b-', namespace: 'ns' }), { admission: [plugin] })
  await run(mutate, work)
  assert.deepEqual(work.draft.spec, { size: 7 })
  stamp(work)
  await run(validate, work)
  assert.equal(seen[0], seen[2])
  assert.equal(seen[1], '')
  assert.match(String(seen[3]), /^b-.{5}$/)
})

test('mutate: managed fields that a webhook made invalid are again what they were, with a warning', async () => {
  await using world = await stagesDouble()
  const managedFields = [{ manager: 'm', operation: 'Update', apiVersion: 'example.com/v1', fieldsType: 'FieldsV1', fieldsV1: {} }] as const
  const metadata = { name: 'x', namespace: 'ns', managedFields: [...managedFields] }
  const plugin = {
    name: 'Test',
    handles: () => true,
    mutate(request: { object: KubeObject | undefined }) {
      request.object = withMeta({ ...metadata, labels: { a: 'b' }, managedFields: [{ manager: 'z' }] })
    },
  }
  const warnings: string[] = []
  const write = world.write({ admission: [plugin] })
  const request = Object.assign(Object.create(write.request), { warn: (text: string) => void warnings.push(text) })
  const work = world.created(withMeta(metadata), { admission: [plugin], request })
  await run(mutate, work)
  assert.deepEqual(work.draft.metadata, { ...metadata, labels: { a: 'b' } })
  assert.match(warnings.join(), /in an invalid state after admission.*: operation must be `Apply` or `Update`$/)
})

for (const [what, given, stamped] of [
  ['keeps a name that is given', { name: 'x' }, /^x ns false$/],
  ['makes a name up from a prefix', { generateName: 'x-' }, /^x-\w{5} ns true$/],
  ['cuts a long prefix so that the name is legal', { generateName: 'x'.repeat(80) }, /^x{58}\w{5} ns true$/],
  ['takes no uid from a client', { name: 'x', uid: 'mine' }, /^x ns false$/],
] as const)
  test(`stamp ${what}`, async () => {
    await using world = await stagesDouble()
    const work = world.created(withMeta({ ...given }))
    stamp(work)
    const { name, namespace, uid, creationTimestamp } = work.draft.metadata
    assert.match(`${name} ${namespace} ${work.generated}`, stamped)
    assert.match(`${uid} ${creationTimestamp}`, /^[0-9a-f-]{36} 2026-01-01T00:00:00Z$/)
  })

test('stamp leaves a deletion time, which admission or an apply has set: a create has wiped that of its body', async () => {
  await using world = await stagesDouble()
  const going = { deletionTimestamp: '2020-01-01T00:00:00Z', deletionGracePeriodSeconds: 5 }
  const work = world.created(withMeta({ name: 'x', ...going }))
  stamp(work)
  const { deletionTimestamp, deletionGracePeriodSeconds } = work.draft.metadata
  assert.deepEqual({ deletionTimestamp, deletionGracePeriodSeconds }, going)
})

test('stamp refuses another namespace than that of the request', async () => {
  await using world = await stagesDouble()
  assert.throws(
    () => stamp(world.created(withMeta({ name: 'x', namespace: 'other' }))),
    (error) => isStatus(error, 'BadRequest'),
  )
})

for (const [given, outcome] of [
  ['', 'takes the stored one'],
  ['0', 'takes the stored one'],
  ['stored', 'takes the stored one'],
  ['1', 'Conflict'],
  ['x', 'strconv.ParseUint: parsing "x": invalid syntax'],
] as const)
  test(`matchRevision: an update that names the revision '${given}': ${outcome}`, async () => {
    await using world = await stagesDouble()
    const stored = world.stored().metadata.resourceVersion ?? ''
    const work = world.updated(withMeta({ name: 'a', resourceVersion: given === 'stored' ? stored : given }))
    const seen = await (async () => matchRevision(work))().then(
      () => 'takes the stored one',
      (error) => (isStatus(error) ? (error.status.reason ?? error.message) : String(error)),
    )
    assert.equal(seen, outcome)
    if (outcome.startsWith('takes')) assert.equal(work.draft.metadata.resourceVersion, stored)
  })

test('prepare: the generation counts changes of the specification, and no client sets it', async () => {
  await using world = await stagesDouble()
  const made = world.created(withMeta({ name: 'x', generation: 9 }))
  prepareForCreate(made)
  assert.equal(made.draft.metadata.generation, 1)
  for (const [spec, generation] of [
    [{ size: 1 }, 1],
    [{ size: 2 }, 2],
  ] as const) {
    const changed = world.updated(withMeta({ name: 'a', generation: 9 }, spec))
    prepareForUpdate(changed)
    assert.equal(changed.draft.metadata.generation, generation)
    assert.equal(changed.draft.metadata.uid, world.stored().metadata.uid)
  }
})

test('prepare: members of the specification that were pruned count as a change of it', async () => {
  await using world = await stagesDouble()
  for (const [field, generation] of [
    ['spec', 2],
    ['other', 2],
    ['status', 1],
  ] as const) {
    const same = world.updated(withMeta({ name: 'a' }, { size: 1 }))
    same.write.prunedFields = new Set([field])
    prepareForUpdate(same)
    assert.equal(same.draft.metadata.generation, generation)
  }
})

test('share: what a draft has in common with the stored object becomes the very same, and the draft stays as it is', async () => {
  await using world = await stagesDouble()
  const work = world.updated(withMeta({ name: 'a', labels: { a: 'b' } }, { size: 1 }))
  const { draft } = work
  shareWithOld(work)
  assert.equal(checkedOf(work).spec, world.stored().spec)
  assert.notEqual(draft.spec, world.stored().spec)
  const first = world.created(withMeta({ name: 'x' }, { size: 1 }))
  shareWithLike(first)
  assert.equal(first.shared, undefined)
  world.deps.lately.note(first.write.served.definition, world.stored())
  shareWithLike(first)
  assert.equal(checkedOf(first).spec, world.stored().spec)
})

test('check collects every fault, of metadata and of the kind', async () => {
  await using world = await stagesDouble()
  const bad = withMeta({ name: 'A', namespace: 'ns' }, {})
  for (const work of [world.created(bad), world.updated(bad)])
    await assert.rejects(run(check, work), (error) => isStatus(error, 'Invalid') && /spec.size: Required value/.test(error.message))
  await run(check, world.created(withMeta({ name: 'x', namespace: 'ns' })))
})

/** Two stages: the first yields three times, the second waits for a promise. */
function slowStages(turns: string[]): readonly Stage<Work>[] {
  return [
    function* (): Steps<void> {
      for (let i = 0; i < 3; i++) yield
      turns.push('first')
    },
    async () => void turns.push('second'),
    () => void turns.push('third'),
  ]
}

test('stages of a light object run in one turn, as far as they need not wait; those of a heavy one give turns between their steps', async () => {
  await using world = await stagesDouble()
  const light: string[] = []
  const pending = runStages(slowStages(light), world.created(widget({ size: 1 })))
  assert.deepEqual(light, ['first', 'second'])
  await pending
  assert.deepEqual(light, ['first', 'second', 'third'])
  const heavy: string[] = []
  const onlyLight = { ifLight: () => heavy.push('only light') }
  const waiting = runStages(
    [onlyLight, ...slowStages(heavy)],
    world.created(widget({ size: 1, texts: Array.from({ length: 3000 }, String) })),
  )
  assert.deepEqual(heavy, [])
  await waiting
  assert.deepEqual(heavy, ['first', 'second', 'third'])
})

test('a stage that throws, or rejects, ends the write', async () => {
  await using world = await stagesDouble()
  const work = () => world.created(widget({ size: 1 }))
  const never = () => assert.fail('a stage after the one that failed')
  const now = () => {
    throw new Error('now')
  }
  await assert.rejects(async () => runStages([now, never], work()), /now/)
  await assert.rejects(async () => runStages([async () => now(), never], work()), /now/)
})
