import { isObject, type Json, type JsonObject } from '../../../src/machinery/object.ts'
import type { Step } from '../case.ts'
import { widgetsOf } from '../custom-kinds.ts'
import type { Draw } from '../draw.ts'
import { changeSchema, drawRootSchema } from '../draw-schema.ts'
import type { Schema } from '../schema.ts'
import { createStep, type Subject } from '../subject.ts'
import { apply, patch, put } from './changes.ts'
import { jsonPatch, mergePatch } from './patches.ts'
import { ADDRESS, customSubject, defined, GROUP, kindOf } from './schemas.ts'

/** How long both servers may take to serve a changed definition. */
const SETTLE_MS = 800

/** A definition changes while there are objects of it: schemas, versions, columns, subresources; then it is deleted. */
export function definitions(subject: Subject): Step[] {
  const { draw } = subject
  let schema = drawRootSchema(draw)
  let of = customSubject(subject, kindOf(schema as Schema, true))
  const rounds = draw.several(2, 3, (): Step[] => {
    if (draw.chance(0.7)) schema = changeSchema(draw, schema)
    const drawn = customSubject(subject, kindOf(schema as Schema, true))
    of = draw.chance(0.5) ? { ...drawn, sample: of.sample } : drawn
    return [change(draw, schema), { do: 'SLEEP', path: '', ms: SETTLE_MS, quiet: true }, ...draw.several(3, 5, () => use(of))]
  })
  return [
    ...defined(widgetsOf(GROUP, versionsOf(draw, schema))),
    createStep(of),
    ...rounds.flat(),
    { do: 'GET', path: ADDRESS },
    { do: 'DELETE', path: ADDRESS },
    { do: 'POLL', path: ADDRESS, until: { code: 404 }, waitMs: 6000, quiet: true },
    { do: 'GET', path: `/apis/${GROUP}/v1` },
    { do: 'GET', path: of.address },
  ]
}

const versionsOf = (draw: Draw, schema: JsonObject): JsonObject[] => [
  { name: 'v1', served: true, storage: true, ...versionOf(draw, schema) },
  { name: 'v2', served: draw.chance(0.8), storage: false, ...versionOf(draw, draw.chance(0.5) ? schema : changeSchema(draw, schema)) },
]

const versionOf = (draw: Draw, schema: JsonObject): JsonObject => ({
  schema: { openAPIV3Schema: schema },
  ...draw.members(PARTS, 0.35),
  ...(draw.chance(0.6) && { subresources: draw.members(SUBRESOURCES, 0.6) }),
})

const PARTS: Readonly<Record<string, readonly Json[]>> = {
  additionalPrinterColumns: [
    [{ name: 'A', type: 'string', jsonPath: '.spec.a' }],
    [
      { name: 'B', type: 'integer', jsonPath: '.spec.b', priority: 1 },
      { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    ],
    [{ name: 'C', type: 'boolean', format: 'x', jsonPath: '.spec.c[0]' }],
    [{ name: 'D', type: 'number', jsonPath: '.spec.d.a' }],
    [{ name: 'E', type: 'string', jsonPath: '.spec' }],
    [{ name: 'F', type: 'date', jsonPath: '.spec.a', description: 'd' }],
  ],
  selectableFields: [[{ jsonPath: '.spec.a' }], [{ jsonPath: '.spec.b' }, { jsonPath: '.spec.a' }], [{ jsonPath: '.spec.d.a' }], []],
  deprecated: [true],
  deprecationWarning: ['old', ''],
}

const SUBRESOURCES: Readonly<Record<string, readonly Json[]>> = {
  status: [{}],
  scale: [
    { specReplicasPath: '.spec.a', statusReplicasPath: '.status.a' },
    { specReplicasPath: '.spec.b', statusReplicasPath: '.status.b', labelSelectorPath: '.status.c' },
  ],
}

/** A change of the definition. */
function change(draw: Draw, schema: JsonObject): Step {
  const versions = versionsOf(draw, schema)
  const names = { plural: 'widgets', singular: 'widget', kind: 'Widget' }
  const spec = draw.pick<JsonObject>([
    { versions },
    { versions },
    { versions },
    { versions: versions.map((v) => ({ ...v, storage: v.name === 'v2' })) },
    { versions: versions.slice(0, 1) },
    { versions: versions.slice(1).map((v) => ({ ...v, storage: true })) },
    { versions: versions.map((v) => ({ ...v, served: false })) },
    { versions: [...versions, { ...versions[0], name: 'v3beta1', storage: false }] },
    { names: { ...names, shortNames: ['w'], categories: ['all'] } },
    { names: { ...names, kind: 'Gadget' } },
    { names: { ...names, listKind: 'Widgets' } },
    { scope: 'Cluster' },
    { preserveUnknownFields: draw.chance(0.5) },
    { conversion: { strategy: 'None' } },
    { conversion: { strategy: 'Webhook' } },
  ])
  return { do: 'PATCH', path: `${ADDRESS}${draw.pick(['', '', '', '', '?dryRun=All', '/status'])}`, body: { spec } }
}

const ACCEPT = ['application/json', 'application/json;as=Table;v=v1;g=meta.k8s.io', 'application/yaml']

/** A request that meets the definition as it is now, at any version. */
function use(subject: Subject): Step {
  const { draw } = subject
  const step = draw.pick([
    createStep,
    put,
    put,
    apply,
    apply,
    patch('merge-patch', mergePatch),
    patch('json-patch', jsonPatch),
    read,
    read,
    scaled,
    discovered,
  ])(subject)
  return draw.chance(0.3) ? atOtherVersion(draw, step) : step
}

const read = ({ draw, kind, address }: Subject): Step => ({
  do: 'GET',
  path: draw.pick([address, kind.collection, `${kind.collection}?fieldSelector=spec.a=a`, `${kind.collection}?fieldSelector=spec.b!=2`]),
  headers: { accept: draw.pick(ACCEPT) ?? '' },
})

const scaled = ({ draw, address }: Subject): Step =>
  draw.chance(0.5)
    ? { do: 'GET', path: `${address}/scale` }
    : { do: 'PATCH', path: `${address}/scale`, body: { spec: { replicas: draw.pick([0, 3, -1]) } } }

const discovered = ({ draw }: Subject): Step => ({ do: 'GET', path: draw.pick([`/apis/${GROUP}/v1`, `/apis/${GROUP}`, ADDRESS]) })

function atOtherVersion(draw: Draw, step: Step): Step {
  const version = draw.pick(['v2', 'v2', 'v3beta1'])
  const { body } = step
  const path = step.path.replace(`/apis/${GROUP}/v1`, `/apis/${GROUP}/${version}`)
  return { ...step, path, ...(isObject(body) && { body: { ...body, apiVersion: `${GROUP}/${version}` } }) }
}
