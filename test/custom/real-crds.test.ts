/**
 * Definitions of real operators. `test/custom/definitions` has one that uses all of their features; BOWSPRIT_REAL_CRDS names a folder of
 * real ones, which are too large for the repository: `BOWSPRIT_REAL_CRDS=/tmp/crds npm test -- test/custom/real-crds.test.ts`.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, test } from 'node:test'
import { readManifests } from '../../scripts/real-crds/read-manifests.ts'
import { tryDefinitions } from '../../scripts/real-crds/try-definitions.ts'
import { tryKubectl } from '../../scripts/real-crds/try-kubectl.ts'
import type { KubeObject } from '../../src/machinery/object.ts'
import { StatusError } from '../../src/machinery/status-error.ts'
import type { CustomResourceDefinition } from '../../src/resources/apiextensions/types.ts'
import { CUSTOM_RESOURCE_DEFINITIONS as DEFINITIONS } from '../../src/resources/refs.ts'
import type { Scale } from '../../src/resources/types/autoscaling-v1.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'

const own = path.join(import.meta.dirname, 'definitions')
const given = process.env.BOWSPRIT_REAL_CRDS
const skip = given === undefined ? 'set BOWSPRIT_REAL_CRDS to a folder of YAML files with real definitions' : false
const LIGHTHOUSES = { group: 'coast.example.com', version: 'v1', resource: 'lighthouses', namespace: 'default' }

for (const [title, folder, options] of [
  ['a definition with everything', own, {}],
  ['real definitions', given ?? '', { skip }],
] as const) {
  test(`${title}: served, discovered, explained, applied, with good and bad objects`, options, async (t) => {
    const home = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-crds-'))
    t.after(() => rmSync(home, { recursive: true, force: true }))
    await using cluster = await startCluster({ parts: ['server'], kubeconfig: path.join(home, 'kubeconfig') })
    const manifests = readManifests(folder)
    assert(manifests.definitions.length > 0, `no definitions in ${folder}`)
    for await (const { name, faults, ms } of tryDefinitions(manifests, cluster.client())) {
      assert.deepEqual(faults, [], name)
      assert(ms < 2000, `${name} took ${ms} ms`)
    }
    for await (const { text, fault } of tryKubectl(manifests, { cluster, home, folder })) assert(!fault, text)
  })
}

describe('an object is refused for its own reason', () => {
  for (const [name, reason] of [
    ['a-name-that-is-much-longer-than-thirty', /<nil>: Invalid value: names of lighthouses have at most 30 letters$/],
    ['neither', /"spec" must validate one and only one schema \(oneOf\)\. Found none valid, spec\.oil: Required value/],
    ['both', /exactly one of oil or electric must be set, not both/],
    ['berths', /spec: Invalid value: berths with a slash are for STATIC and NONE only$/],
    ['reach', /spec: Invalid value: it reaches farther than one kilometre$/],
    ['chart', /spec: Invalid value: charts come by https$/],
    ['same-lamps', /spec\.lamps\[1\]: Duplicate value: {"name":"a","protocol":"FLASH"}/],
    ['same-tags', /spec\.tags\[1\]: Duplicate value: "a"$/],
    ['multiple', /spec\.electric\.volts in body should be a multiple of 0\.5$/],
    ['never', /"spec\.limits" must not validate the schema \(not\)/],
    ['low', /spec\.limits\.low in body should be less than or equal to 10/],
    ['embedded', /spec\.template\.apiVersion: Required value, <nil>: Invalid value: null: some validation rules were not checked/],
    [
      'embedded-kind',
      /apiVersion: Invalid value: "": must not be empty, spec\.template\.kind: Invalid value: "Not_A_Kind": may have mixed case, but/,
    ],
    ['certificate', /spec\.certificate in body must be of type byte: "\.\.\.", <nil>: Invalid value: null: some/],
    ['shaded', /spec\.lamps: Invalid value: the main lamp has no shade$/],
  ] as const) {
    test(name, async () => {
      await using cluster = await startCluster({ parts: ['server'] })
      const { definitions, objects } = readManifests(own)
      for (const { object } of definitions) await cluster.client().create<KubeObject>(DEFINITIONS, object)
      const bad = objects.find(({ object }) => object.metadata.name === name)?.object
      assert(bad)
      const error = await cluster
        .client()
        .create(LIGHTHOUSES, bad)
        .catch((e: unknown) => e)
      assert(error instanceof StatusError)
      assert.match(error.message, reason)
    })
  }
})

test('defaults, columns, scale and transition rules of such a definition', async () => {
  await using cluster = await startCluster({ parts: ['server'] })
  const client = cluster.client()
  const { definitions, objects } = readManifests(own)
  for (const { object } of definitions) await client.create<CustomResourceDefinition>(DEFINITIONS, object)
  const least = objects.find(({ object }) => object.metadata.name === 'least')?.object
  assert(least)
  const made = await client.create(LIGHTHOUSES, least)
  assert.deepEqual((made as KubeObject).spec, {
    colour: 'Red',
    class: 'NONE',
    electric: { volts: 230.5 },
    keepers: 1,
    labels: { sea: 'unknown' },
    lamps: [{ name: 'main', protocol: 'FLASH' }],
    retreat: '25%',
  })
  const target = { ...LIGHTHOUSES, name: 'least' }
  const scale = await client.patch({ ...target, subresource: 'scale' }, 'merge', { spec: { replicas: 4 } })
  assert.equal((scale as Scale).spec?.replicas, 4)
  const repaint = client.patch(target, 'merge', { spec: { colour: 'White' } })
  await assert.rejects(repaint, /spec\.colour: Forbidden: a lighthouse is never repainted/)
  const apply = (watts: number) =>
    client.patch(
      target,
      'apply',
      { apiVersion: 'coast.example.com/v1', kind: 'Lighthouse', metadata: { name: 'least' }, spec: { lamps: [{ name: 'main', watts }] } },
      { fieldManager: 'keeper', fieldValidation: 'Strict' },
    )
  await apply(100)
  await assert.rejects(apply(60), /spec\.lamps\[0\]\.watts: Invalid value: 60: lamps only get stronger/)
  const listed = await client.list({ ...LIGHTHOUSES }, { fieldSelector: 'spec.colour=Red' })
  assert.equal(listed.items.length, 1)
})
