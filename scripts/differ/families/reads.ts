import type { Json, JsonObject } from '../../../src/machinery/object.ts'
import type { Step } from '../case.ts'
import type { Draw } from '../draw.ts'
import { drawValue } from '../draw-value.ts'
import { memberSchema } from '../schema.ts'
import { changedSample, createStep, type Subject, withOptions } from '../subject.ts'

export const ACCEPT = [
  ...['application/json', 'application/yaml', '*/*', 'text/plain', 'application/json, text/html;q=0.5', 'application/json;q=0'],
  ...['application/json;as=Table;v=v1;g=meta.k8s.io', 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io'],
  ...['application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io', 'application/yaml;as=Table;v=v1;g=meta.k8s.io'],
  ...[
    'application/json;as=Table;v=v1beta1;g=meta.k8s.io',
    'application/json;as=Table;v=v2;g=meta.k8s.io,application/json',
    'application/cbor',
  ],
]

const LIST = {
  limit: ['1', '2', '0', '-1', 'x'],
  labelSelector: ['a', '!a', 'a=b', 'a!=b', 'a in (b,c)', 'a notin (b)', 'a==b,c', 'a=', '=', 'a b', 'a>1'],
  fieldSelector: [
    'metadata.name=a',
    'metadata.name!=a',
    'metadata.namespace={ns}',
    'spec.nodeName=',
    'status.phase=Running',
    'type=Opaque',
    'spec.mode=Fast',
    'spec.maybe=',
    'x=y',
    '=',
  ],
  resourceVersion: ['0', '1', '', 'x'],
  resourceVersionMatch: ['Exact', 'NotOlderThan', 'x'],
  continue: ['x', ''],
  timeoutSeconds: ['1', 'x'],
  sendInitialEvents: ['true', 'false'],
  allowWatchBookmarks: ['true'],
  includeObject: ['None', 'Object', 'Metadata', 'x'],
  pretty: ['true'],
}

const DELETE = {
  gracePeriodSeconds: ['0', '5', '-1', 'x'],
  propagationPolicy: ['Foreground', 'Background', 'Orphan', 'x'],
  orphanDependents: ['true', 'x'],
  dryRun: ['All', 'x'],
}

const DELETE_OPTIONS: Readonly<Record<string, readonly Json[]>> = {
  gracePeriodSeconds: [0, 5, -1, '1'],
  propagationPolicy: ['Foreground', 'Background', 'Orphan', 'x'],
  orphanDependents: [true, false],
  preconditions: [{}, { resourceVersion: '1' }, { uid: 'u' }, null],
  dryRun: [['All'], [], ['x'], 'All'],
  nothing: [1],
}

/** Options in the body of a deletion. */
export function deleteOptions(draw: Draw): JsonObject {
  const apiVersion = draw.pick(['v1', 'v1', 'meta.k8s.io/v1', 'apps/v1', 'policy/v1', 'x/v1', '']) ?? 'v1'
  return {
    kind: draw.pick(['DeleteOptions', 'DeleteOptions', 'DeleteOptions', 'DeleteOptions', 'ListOptions', 'Status', '']) ?? 'DeleteOptions',
    apiVersion,
    ...draw.members(DELETE_OPTIONS, 0.3),
  }
}

/** A status, which columns of tables show. */
export function statusStep({ source, kind, address, sample }: Subject): Step[] {
  const schema = memberSchema(source.schemas.resolve(kind.schema).schema, 'status')
  if (!kind.subresources.some((s) => s.name === 'status')) return []
  return [{ do: 'PUT', path: `${address}/status`, body: { ...sample, status: drawValue(source, schema, 'status', 1) } }]
}

/** Some objects are created, then read and deleted with options. */
export function reads(subject: Subject): Step[] {
  const { draw, kind, address } = subject
  const others = draw.several(1, 2, (): Step => ({ do: 'POST', path: kind.collection, body: changedSample(subject, 2) }))
  const read = (): Step => {
    // Collections outside of the namespace have objects of other cases.
    const path = kind.namespaced && draw.chance(0.7) ? kind.collection : address
    const headers = draw.chance(0.5) ? { headers: { accept: draw.pick(ACCEPT) ?? '' } } : {}
    return { do: 'GET', path: withOptions(draw, path, LIST, 0.15), ...headers }
  }
  const remove = (): Step => {
    const collection = kind.namespaced && draw.chance(0.3)
    const path = collection ? withOptions(draw, kind.collection, LIST, 0.1) : address
    return { do: 'DELETE', path: withOptions(draw, path, DELETE, 0.2), ...(draw.chance(0.4) && { body: deleteOptions(draw) }) }
  }
  return [
    createStep(subject),
    ...(draw.chance(0.5) ? statusStep(subject) : []),
    ...others,
    ...draw.several(3, 5, read),
    remove(),
    ...draw.several(1, 2, draw.chance(0.5) ? read : remove),
  ]
}
