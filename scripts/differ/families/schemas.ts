import type { Json, JsonObject, KubeObject } from '../../../src/machinery/object.ts'
import type { Step } from '../case.ts'
import { widgetsOf } from '../custom-kinds.ts'
import { drawRootSchema } from '../draw-schema.ts'
import { drawValue } from '../draw-value.ts'
import type { Kind } from '../kinds.ts'
import { isObject, type Schema, Schemas } from '../schema.ts'
import type { Subject } from '../subject.ts'
import { changes } from './changes.ts'
import { sequences } from './sequences.ts'

/** Where the definition of a case and its objects are. */
export const GROUP = '{ns}.example.com'
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
export const ADDRESS = `${DEFINITIONS}/widgets.${GROUP}`

/** A definition of its own, with a drawn schema; then an object of it is changed in every way. */
export function schemas(subject: Subject): Step[] {
  const { draw } = subject
  const schema = drawRootSchema(draw)
  const hasStatus = isObject(schema.properties) && schema.properties.status !== undefined && draw.chance(0.7)
  const of = customSubject(subject, kindOf(schema as Schema, hasStatus))
  return [...defined(definitionOf(schema, hasStatus)), ...draw.pick([changes, changes, sequences])(of)]
}

/** Creates a definition of widgets in the group, and waits until its version `v1` is served. */
export const defined = (body: KubeObject): Step[] => [
  { do: 'POST', path: DEFINITIONS, body },
  { do: 'POLL', path: ADDRESS, until: { path: '/status/conditions/1/status', value: 'True' }, waitMs: 4000, quiet: true },
  { do: 'POLL', path: `/apis/${GROUP}/v1/widgets`, until: { code: 200 }, waitMs: 4000, quiet: true },
]

const definitionOf = (schema: JsonObject, hasStatus: boolean) =>
  widgetsOf(GROUP, [
    { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...(hasStatus && { subresources: { status: {} } }) },
  ])

const STATUS = { name: 'status', kind: 'Widget', apiVersion: `${GROUP}/v1`, verbs: ['get', 'patch', 'update'] }

/** The kind of its version `v1`. */
export const kindOf = (schema: Schema, hasStatus: boolean): Kind => ({
  collection: `/apis/${GROUP}/v1/namespaces/{ns}/widgets`,
  plural: 'widgets',
  namespaced: true,
  apiVersion: `${GROUP}/v1`,
  kind: 'Widget',
  verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
  subresources: hasStatus ? [STATUS] : [],
  schemas: new Schemas({}),
  schema,
  samples: [],
  tables: [],
})

/** A subject of the kind, whose sample is drawn. */
export function customSubject(subject: Subject, kind: Kind): Subject {
  const source = { ...subject.source, schemas: kind.schemas }
  const drawn: Json = drawValue(source, kind.schema, '')
  const sample = { ...(isObject(drawn) && drawn), apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name: 'a' } }
  return { ...subject, source, kind, versions: [kind], sample, kept: true, address: `${kind.collection}/a` }
}
