import type { KubeObject } from '../../machinery/object.ts'

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
    return { ...out, apiVersion: toApiVersion, kind: 'Event', metadata: event.metadata }
  })
}
