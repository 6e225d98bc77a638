import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { silentLogger } from '../../src/base/logger.ts'
import { seededRandom } from '../../src/base/random.ts'
import { openCertificates } from '../../src/cluster/certificates.ts'
import { completeConfig } from '../../src/cluster/config.ts'
import { serverOptionsOf } from '../../src/cluster/server/server-options.ts'
import { openServerPart, type ServerPart } from '../../src/cluster/server/server-part.ts'
import type { KubeObject } from '../../src/machinery/object.ts'
import type { UserInfo } from '../../src/machinery/resource/user.ts'
import { isStatus } from '../../src/machinery/status-error.ts'
import * as refs from '../../src/resources/refs.ts'
import type { Client } from '../../src/sdk/client/client.ts'
import { createClient } from '../../src/sdk/client/create-client.ts'
import { noReports } from '../../src/server/reports/part-reports.ts'
import { openMemoryStore } from '../../src/storage/memory/memory-store.ts'
import { openSqliteStore } from '../../src/storage/sqlite/sqlite-store.ts'
import type { Store } from '../../src/storage/store.ts'
import { waitFor } from '../../src/testing/wait-for.ts'

const ADMIN: UserInfo = { name: 'admin', groups: ['system:masters', 'system:authenticated'] }
const JANE: UserInfo = { name: 'jane', groups: ['system:authenticated'] }

const SERVICES = { ...refs.SERVICES, namespace: 'default' }
const CONFIG_MAPS = { ...refs.CONFIG_MAPS, namespace: 'default' }
const QUOTAS = { ...refs.RESOURCE_QUOTAS, namespace: 'default' }
const DEFINITIONS = refs.CUSTOM_RESOURCE_DEFINITIONS

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

const object = <T extends KubeObject>(kind: string, name: string, more: object = {}) =>
  ({ apiVersion: 'v1', kind, metadata: { name }, ...more }) as KubeObject as T

const ENGINES: Readonly<Record<string, (folder: string) => Promise<Store>>> = {
  memory: async () => openMemoryStore({}, { clock: systemClock }),
  sqlite: (folder) => openSqliteStore({ folder }, { clock: systemClock }),
}

for (const [engine, open] of Object.entries(ENGINES)) {
  describe(`two servers on one store (${engine})`, async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-two-'))
    const store = await open(path.join(folder, 'store'))
    const config = completeConfig({ parts: ['server'], ephemeral: true, port: 0, serviceCidr: '10.0.0.0/24' })
    const certificates = openCertificates({ folder: undefined, serviceCidr: config.serviceCidr }, { clock: systemClock })
    const start = (seed: number) =>
      openServerPart(serverOptionsOf(config, certificates), {
        parts: config.parts,
        opening: Promise.resolve(lent(store)),
        clock: systemClock,
        // Both make the same random choices, which provokes collisions.
        random: seededRandom(seed),
        log: silentLogger,
        freeze: true,
        connectors: {},
        reports: noReports(),
      })
    const parts = await Promise.all([start(7), start(7)])
    const [a, b] = parts.map((part) => createClient(part.server.transport(ADMIN))) as [Client, Client]
    const as = (part: ServerPart, user: UserInfo) => createClient(part.server.transport(user))
    after(async () => {
      await Promise.all(parts.map((part) => part[Symbol.asyncDispose]()))
      await store[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    })

    test('what one writes, the other reads at once, and watches', async () => {
      const abort = new AbortController()
      const { resourceVersion } = (await b.list(CONFIG_MAPS)).metadata
      const seen: string[] = []
      const watching = (async () => {
        for await (const events of b.watch(CONFIG_MAPS, { resourceVersion: String(resourceVersion), signal: abort.signal })) {
          for (const e of [events].flat()) seen.push(`${e.type} ${e.object.metadata.name}`)
          if (seen.length === 3) return
        }
      })()
      const made = await a.create(CONFIG_MAPS, object('ConfigMap', 'x', { data: { a: '1' } }))
      const read = await b.get({ ...CONFIG_MAPS, name: 'x' })
      assert.deepEqual(read, made)
      const changed = await b.update({ ...CONFIG_MAPS, name: 'x' }, { ...read, data: { a: '2' } })
      assert.deepEqual(await a.get({ ...CONFIG_MAPS, name: 'x' }), changed)
      await assert.rejects(a.update({ ...CONFIG_MAPS, name: 'x' }, { ...made, data: { a: '3' } }), (e) => isStatus(e, 'Conflict'))
      await a.delete({ ...CONFIG_MAPS, name: 'x' })
      await assert.rejects(b.get({ ...CONFIG_MAPS, name: 'x' }), (e) => isStatus(e, 'NotFound'))
      await watching
      abort.abort()
      assert.deepEqual(seen, ['ADDED x', 'MODIFIED x', 'DELETED x'])
    })

    test('of two creates of one name one is taken', async () => {
      for (let i = 0; i < 20; i++) {
        const both = await Promise.allSettled([a, b].map((c) => c.create(CONFIG_MAPS, object('ConfigMap', `once-${i}`))))
        assert.deepEqual(both.map((r) => r.status).sort(), ['fulfilled', 'rejected'])
      }
    })

    test('addresses and node ports are allocated once, by either server', async () => {
      const spec = {
        type: 'NodePort',
        ports: [
          { name: 'a', port: 80 },
          { name: 'b', port: 81 },
        ],
      }
      const made = await Promise.all(
        Array.from({ length: 40 }, (_, i) =>
          [a, b].map((c, n) => c.create(SERVICES, object('Service', `s${n}-${i}`, { spec: structuredClone(spec) }))),
        ).flat(),
      )
      const ips = made.map((s) => s.spec?.clusterIP)
      const ports = made.flatMap((s) => s.spec?.ports?.map((p) => p.nodePort))
      assert.deepEqual([new Set(ips).size, new Set(ports).size], [80, 160])
      const wanted = { type: 'NodePort', ports: [{ port: 80, nodePort: 30007 }] }
      const both = await Promise.allSettled([a, b].map((c, i) => c.create(SERVICES, object('Service', `asked-${i}`, { spec: wanted }))))
      assert.deepEqual(both.map((r) => r.status).sort(), ['fulfilled', 'rejected'])
      const refused = both.find((r) => r.status === 'rejected')
      assert.match(String(refused?.reason), /spec.ports\[0\].nodePort: Invalid value: 30007: provided port is already allocated/)
      // What one server deletes is free for the other.
      const [taker] = (await a.list(SERVICES)).items.filter((s) => s.metadata.name?.startsWith('asked-'))
      await b.delete({ ...SERVICES, name: taker?.metadata.name ?? '' })
      await a.create(SERVICES, object('Service', 'asked-again', { spec: wanted }))
      const addresses = await b.list({ group: 'networking.k8s.io', version: 'v1', resource: 'ipaddresses' })
      const held = (await b.list(SERVICES)).items.map((s) => s.spec?.clusterIP)
      assert.deepEqual(addresses.items.map((o) => o.metadata.name).sort(), held.sort())
    })

    test('the last unit of a quota is used once', async () => {
      await a.create(QUOTAS, object('ResourceQuota', 'q', { spec: { hard: { 'count/secrets': '5' } } }))
      await b.patch({ ...QUOTAS, name: 'q', subresource: 'status' }, 'merge', {
        status: { hard: { 'count/secrets': '5' }, used: { 'count/secrets': '0' } },
      })
      const secrets = { ...refs.SECRETS, namespace: 'default' }
      const tries = await Promise.allSettled(
        Array.from({ length: 10 }, (_, i) => [a, b].map((c, n) => c.create(secrets, object('Secret', `q${n}-${i}`)))).flat(),
      )
      assert.equal(tries.filter((t) => t.status === 'fulfilled').length, 5)
      for (const t of tries)
        if (t.status === 'rejected')
          assert.match(
            String(t.reason),
            /exceeded quota: q, requested: count\/secrets=1, used: count\/secrets=\d, limited: count\/secrets=5/,
          )
      assert.equal((await a.get({ ...QUOTAS, name: 'q' })).status?.used?.['count/secrets'], '5')
    })

    test('a definition that one took is served by the other, and its objects are its own', async () => {
      const schema = { type: 'object', properties: { spec: { type: 'object', properties: { n: { type: 'integer', default: 1 } } } } }
      const names = { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' }
      await a.create(DEFINITIONS, {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'gadgets.two.example.com' },
        spec: {
          group: 'two.example.com',
          scope: 'Namespaced',
          names,
          versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
        },
      })
      const gadgets = { group: 'two.example.com', version: 'v1', resource: 'gadgets', namespace: 'default' }
      await waitFor(async () =>
        (await b.get({ ...DEFINITIONS, name: 'gadgets.two.example.com' })).status?.conditions?.some(
          (c) => c.type === 'Established' && c.status === 'True',
        ),
      )
      const gadget: KubeObject = { ...object('Gadget', 'g', { spec: {} }), apiVersion: 'two.example.com/v1' }
      const made = await b.create<KubeObject>(gadgets, gadget)
      assert.deepEqual([made.spec, (await a.get({ ...gadgets, name: 'g' })).spec], [{ n: 1 }, { n: 1 }])
      await a.delete({ ...DEFINITIONS, name: 'gadgets.two.example.com' })
      await waitFor(async () => (await b.list(DEFINITIONS)).items.length === 0)
      await assert.rejects(b.get({ ...gadgets, name: 'g' }), (e) => isStatus(e, 'NotFound'))
      assert.deepEqual((await store.range('/registry/custom/')).entries, [])
    })

    test('a right that is granted or revoked by one server applies on the other', async () => {
      const [first, second] = parts
      assert.ok(first !== undefined && second !== undefined)
      const roles = { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterrolebindings' }
      const may = () => as(second, JANE).list(CONFIG_MAPS)
      await assert.rejects(may(), (e) => isStatus(e, 'Forbidden'))
      await a.create({ ...roles, resource: 'clusterroles' }, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name: 'reader' },
        rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }],
      } as unknown as KubeObject)
      await a.create(roles, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: 'jane' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'reader' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'jane' }],
      } as unknown as KubeObject)
      await second.watchCache.consistent()
      await may()
      await a.delete({ ...roles, name: 'jane' })
      await second.watchCache.consistent()
      await assert.rejects(may(), (e) => isStatus(e, 'Forbidden'))
    })

    test('a policy that one stored, the other keeps', async () => {
      const [, second] = parts
      assert.ok(second !== undefined)
      const policy = { group: 'admissionregistration.k8s.io', version: 'v1' }
      await a.create({ ...policy, resource: 'validatingadmissionpolicies' }, {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicy',
        metadata: { name: 'no-bad' },
        spec: {
          matchConstraints: {
            resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
          },
          validations: [{ expression: "object.metadata.name != 'bad'", message: 'not that one' }],
        },
      } as unknown as KubeObject)
      await a.create({ ...policy, resource: 'validatingadmissionpolicybindings' }, {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicyBinding',
        metadata: { name: 'no-bad' },
        spec: { policyName: 'no-bad', validationActions: ['Deny'] },
      } as unknown as KubeObject)
      await second.watchCache.consistent()
      await assert.rejects(b.create(CONFIG_MAPS, object('ConfigMap', 'bad')), /not that one/)
    })
  })
}
