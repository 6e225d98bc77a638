import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { prepareBootstrap } from '../../scripts/prepare-bootstrap.ts'
import { systemClock } from '../../src/base/clock.ts'
import { silentLogger } from '../../src/base/logger.ts'
import { seededRandom } from '../../src/base/random.ts'
import { type ClusterCertificates, openCertificates } from '../../src/cluster/certificates.ts'
import type { ClusterOptions } from '../../src/cluster/cluster-options.ts'
import { completeConfig } from '../../src/cluster/config.ts'
import { serverOptionsOf } from '../../src/cluster/server/server-options.ts'
import { openServerPart } from '../../src/cluster/server/server-part.ts'
import { PLUGIN_NAMES } from '../../src/server/admission/plugin-order.ts'
import { filled, type PreparedObjects, standAsPrepared, withHoles } from '../../src/server/bootstrap/prepared-objects.ts'
import type { ServerOptions } from '../../src/server/options/server-options.ts'
import { noReports } from '../../src/server/reports/part-reports.ts'
import { openMemoryStore } from '../../src/storage/memory/memory-store.ts'
import type { Store } from '../../src/storage/store.ts'

const PORT = 64_430
/** A fixed second, because a status with another time is written again. */
const clock = { ...systemClock, now: () => Date.UTC(2026, 0, 1) }
const serviceCidr = '10.0.0.0/24'
/** An object that no server creates: it shows whether the prepared objects were used. */
const SIGN = '/registry/core/configmaps/default/sign'
const sign: PreparedObjects = {
  serviceCidr,
  lines: `.${SIGN}\t{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"sign","uid":"<uid>"}}`,
}
const NOTHING: PreparedObjects = { serviceCidr: '', lines: '' }

describe('the objects of a first start', () => {
  let certificates: ClusterCertificates
  let prepared: PreparedObjects
  before(async () => {
    certificates = openCertificates({ folder: undefined, serviceCidr }, { clock })
    prepared = await prepareBootstrap()
  })
  const stores: Store[] = []
  after(async () => {
    for (const store of stores) await store[Symbol.asyncDispose]()
  })
  const freshStore = () => {
    const store = openMemoryStore({}, { clock })
    stores.push(store)
    return store
  }
  /** The same store for a user that must not close it. */
  const lent = (store: Store): Store => ({
    latest: () => store.latest(),
    get: (key) => store.get(key),
    range: (prefix, options) => store.range(prefix, options),
    commit: (proposal) => store.commit(proposal),
    watch: (prefix, from) => store.watch(prefix, from),
    compact: (revision) => store.compact(revision),
    async [Symbol.asyncDispose]() {},
  })
  const start = async (
    store: Store,
    from: PreparedObjects,
    { change = (options) => options, more }: { change?: (options: ServerOptions) => ServerOptions; more?: ClusterOptions } = {},
  ) => {
    const config = completeConfig({ parts: ['server'], ephemeral: true, port: PORT, ...more })
    const part = await openServerPart(change(serverOptionsOf(config, certificates)), {
      parts: config.parts,
      opening: Promise.resolve(lent(store)),
      clock,
      random: seededRandom(7),
      log: silentLogger,
      freeze: true,
      connectors: {},
      reports: noReports(),
      prepared: from,
    })
    await part[Symbol.asyncDispose]()
  }
  const same = async (one: Store, other: Store) => {
    const [a, b] = [await heldBy(one), await heldBy(other)]
    for (const [i, line] of a.entries()) assert.equal(line, b[i])
    assert.equal(a.length, b.length)
  }
  /** The content of the store, except for what differs between clusters. */
  const heldBy = async (store: Store) => {
    const { entries } = await store.range('')
    const texts = entries.map(({ key, value }) => ({ key, value: Buffer.from(value).toString(), kept: false }))
    return withHoles(texts, { port: PORT, serviceCidr }).lines.split('\n')
  }

  for (const [options, change] of Object.entries<(options: ServerOptions) => ServerOptions>({
    'default options': (options) => options,
    'all plugins that need no file': (options) => ({
      ...options,
      admission: { ...options.admission, plugins: PLUGIN_NAMES.filter((name) => name !== 'AlwaysDeny' && name !== 'ImagePolicyWebhook') },
    }),
    'no plugins': (options) => ({ ...options, admission: { ...options.admission, plugins: [] } }),
  }))
    test(`are the same whether they were prepared or are made: ${options}`, async () => {
      const [made, laidDown] = [freshStore(), freshStore()]
      await start(made, NOTHING, { change })
      await start(laidDown, prepared, { change })
      await same(laidDown, made)
      assert.ok((await heldBy(made)).length > 180)
    })

  test('a second start finds nothing to do', async () => {
    const store = freshStore()
    await start(store, prepared)
    const revision = await store.latest()
    await start(store, prepared)
    assert.equal(await store.latest(), revision)
  })

  test('what is missing, or was changed, is put right at a second start, and nothing else is touched', async () => {
    const store = freshStore()
    await start(store, prepared)
    const before = await heldBy(store)
    const role = '/registry/rbac.authorization.k8s.io/clusterroles/system:basic-user'
    const level = '/registry/core/namespaces/kube-public'
    const stood = await store.get(role)
    const gone = await store.get(level)
    assert.ok(stood && gone)
    const value = Buffer.from(Buffer.from(stood.value).toString().replace('"selfsubjectaccessreviews"', '"pods"'))
    await store.commit({ key: role, expect: { revision: stood.revision }, value })
    await store.commit({ key: level, expect: { revision: gone.revision }, value: undefined })
    const revision = await store.latest()
    await start(store, prepared)
    assert.equal(await store.latest(), revision + 2)
    const after = await heldBy(store)
    assert.deepEqual(
      after.filter((line) => !before.includes(line)).map((line) => line.slice(1, line.indexOf('\t'))),
      [role],
    )
    assert.match(Buffer.from((await store.get(role))?.value ?? '').toString(), /selfsubjectaccessreviews/)
    assert.ok(await store.get(level))
  })

  test('two servers that start at once on a fresh store both have all of them', async () => {
    const [made, shared] = [freshStore(), freshStore()]
    await start(made, NOTHING)
    await Promise.all([start(shared, prepared), start(shared, prepared)])
    await same(shared, made)
  })

  test('what is prepared is used where it is what would be made, and nowhere else', async () => {
    const uses = async (how: Parameters<typeof start>[2], store = freshStore()) => {
      await start(store, sign, how)
      return (await store.get(SIGN)) !== undefined
    }
    assert.equal(await uses({}), true)
    assert.equal(await uses({ more: { serviceCidr: '10.9.0.0/24' } }), false)
    assert.equal(
      await uses({ change: (o) => ({ ...o, authorization: { ...o.authorization, authorizers: [{ type: 'AlwaysAllow', name: 'a' }] } }) }),
      false,
    )
    const audited = (o: ServerOptions): ServerOptions => ({
      ...o,
      audit: { ...o.audit, policy: { rules: [], omitStages: [], omitManagedFields: false } },
    })
    assert.equal(await uses({ change: audited }), false)
    const written = freshStore()
    await written.commit({ key: '/somewhere', expect: { absent: true }, value: Buffer.from('x') })
    assert.equal(await uses({}, written), false)
  })

  test('prepared objects are not used if admission would refuse them', async () => {
    const store = freshStore()
    const denied = (o: ServerOptions): ServerOptions => ({ ...o, admission: { ...o.admission, plugins: ['AlwaysDeny'] } })
    await assert.rejects(start(store, sign, { change: denied }))
    assert.equal(await store.get(SIGN), undefined)
  })

  test('holes that are filled hold the facts of the cluster, each object a uid of its own', () => {
    const time = fc
      .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
      .map((d) => `${d.toISOString().slice(0, 19)}Z`)
    fc.assert(
      fc.property(time, fc.integer({ min: 1, max: 65_535 }), (now, port) => {
        let made = 0
        const entries = filled(prepared, { now, port, uuid: () => `uid-${made++}` })
        const objects = entries.map(({ value }) => JSON.parse(value))
        assert.deepEqual(
          objects.map((o) => o.metadata.uid),
          objects.map((_, i) => `uid-${i}`),
        )
        for (const o of objects)
          for (const { time: at } of [...(o.metadata.managedFields ?? []), { time: o.metadata.creationTimestamp }]) assert.equal(at, now)
        assert.equal(objects.find((o) => o.kind === 'Service').spec.ports[0].targetPort, port)
        assert.equal(objects.find((o) => o.kind === 'ConfigMap').data.since, now.slice(0, 10))
        assert.doesNotMatch(entries.map(({ value }) => value).join(), /<\w+>/)
      }),
      { numRuns: 20 },
    )
  })

  test('prepared objects count as unchanged until a repaired one is changed, or any is deleted', () => {
    const made = filled(prepared, { now: '2026-01-01T00:00:00Z', port: 1, uuid: () => crypto.randomUUID() })
    const kept = new Set(prepared.lines.split('\n').flatMap((line) => (line.startsWith('=') ? [line.slice(1, line.indexOf('\t'))] : [])))
    assert.ok(kept.size > 100 && kept.size < made.length)
    const stands = (change: (key: string, value: string) => string | undefined) =>
      standAsPrepared(prepared, (key) => {
        const value = change(key, made.find((entry) => entry.key === key)?.value ?? '')
        return value === undefined ? undefined : Buffer.from(value)
      })
    assert.equal(
      stands((_, value) => value),
      true,
    )
    for (const { key: one } of made) {
      assert.equal(
        stands((key, value) => (key === one ? undefined : value)),
        false,
        one,
      )
      assert.equal(
        stands((key, value) => (key === one ? value.replace(/.$/, ',"x":1}') : value)),
        !kept.has(one),
        one,
      )
    }
  })

  test('an object that looks as if it had holes is not prepared', () => {
    const value = '{"metadata":{"uid":"a"},"data":{"x":"<port>"}}'
    assert.throws(() => withHoles([{ key: '/a', value, kept: true }], { port: PORT, serviceCidr }), /looks like a hole/)
  })
})
