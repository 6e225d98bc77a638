import { copyOwn, type KubeObject } from '../../machinery/object.ts'
import { builtinSchema } from '../schema.ts'

/** Field by field: the name in `events.k8s.io/v1` and that in core `v1`. */
const RENAMED: readonly (readonly [newName: string, coreName: string])[] = [
  ['note', 'message'],
  ['regarding', 'involvedObject'],
  ['reportingController', 'reportingComponent'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
]
/** Written in core even if empty. */
const ALWAYS_IN_CORE = [
  ['reportingController', 'reportingComponent'],
  ['reportingInstance', 'reportingInstance'],
] as const
/** The types of both groups, whose fields Go writes in other orders. */
const CORE = builtinSchema('', 'v1', 'Event')
const NEWER = builtinSchema('events.k8s.io', 'v1', 'Event')
const TO_CORE = new Map(RENAMED)
const FROM_CORE = new Map(RENAMED.map(([a, b]) => [b, a]))

/** Converts events between the two API groups; returns the same object if it is in the wanted group already. */
export function convertEvents(events: readonly KubeObject[], toApiVersion: string): KubeObject[] {
  const names = toApiVersion === 'v1' ? TO_CORE : FROM_CORE
  return events.map((event) => {
    if (event.apiVersion === toApiVersion) return event
    const out: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(event)) out[names.get(name) ?? name] = value
    for (const [newName, coreName] of ALWAYS_IN_CORE) {
      if (toApiVersion === 'v1') out[coreName] ??= ''
      else if (out[newName] === '') delete out[newName]
    }
    return inFieldOrder({ ...out, kind: 'Event', apiVersion: toApiVersion, metadata: event.metadata })
  })
}

function inFieldOrder(event: KubeObject): KubeObject {
  const schema = (event.apiVersion === 'v1' ? CORE : NEWER)()
  if (schema.type !== 'struct') return event
  const { kind, apiVersion, metadata } = event
  const ordered = { kind, apiVersion, metadata }
  for (const name of schema.fields.keys()) copyOwn(ordered, event, name)
  return ordered
}
