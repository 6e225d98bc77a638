import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultText } from '../../machinery/field-error.ts'
import { changed } from '../rule-changes.ts'
import { type CoreEvent, validateEvent, validateEventUpdate } from './validation.ts'

const CORE = 'v1'
const NEWER = 'events.k8s.io/v1'
const TIME = '2026-01-01T00:00:00.000000Z'

/** An event of the newer kind, in the form in which events of both groups are validated. */
const event: CoreEvent = {
  apiVersion: CORE,
  kind: 'Event',
  metadata: { name: 'e', namespace: 'default' },
  eventTime: TIME,
  reportingComponent: 'example.com/c',
  reportingInstance: 'i',
  action: 'Run',
  reason: 'R',
  involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
  related: { kind: 'Node', name: 'n' },
  message: 'm',
  type: 'Warning',
  series: { count: 3, lastObservedTime: TIME },
}

const ELSEWHERE = 'does not match event.namespace'
const UNSET = 'Invalid value: "": needs to be unset'
const CREATES: readonly (readonly [apiVersion: string, change: string, ...faults: string[]])[] = [
  [NEWER, ''],
  [NEWER, '-eventTime', 'eventTime: Required value'],
  [NEWER, '-type', 'type: Invalid value: "": has invalid value: '],
  [NEWER, 'type = Odd', 'type: Invalid value: "": has invalid value: Odd'],
  [NEWER, 'type = Normal'],
  [NEWER, '-series'],
  [NEWER, 'series.count = 2'],
  [NEWER, 'series.count = 1', 'series.count: Invalid value: "": should be at least 2'],
  [NEWER, '-series.lastObservedTime', 'series.lastObservedTime: Required value'],
  [NEWER, `firstTimestamp = "${TIME}"`, `firstTimestamp: ${UNSET}`],
  [NEWER, `lastTimestamp = "${TIME}"`, `lastTimestamp: ${UNSET}`],
  [NEWER, 'count = 1', `count: ${UNSET}`],
  [NEWER, 'source = {component: c}', `source: ${UNSET}`],
  [NEWER, 'source = {host: h}', `source: ${UNSET}`],
  [NEWER, 'source = {}'],
  [NEWER, 'reportingComponent = a/b/c', `reportingController: Invalid value: "a/b/c": a valid label key must consist of…`],
  [NEWER, '-reportingInstance', 'reportingInstance: Required value'],
  [NEWER, '-action', 'action: Required value'],
  [NEWER, '-reason', 'reason: Required value'],
  [NEWER, 'reason = a × 128'],
  [NEWER, 'reason = a × 129', 'reason: Invalid value: "": can have at most 128 characters'],
  [NEWER, 'reason = é × 65', 'reason: Invalid value: "": can have at most 128 characters'],
  [NEWER, 'action = a × 129', 'action: Invalid value: "": can have at most 128 characters'],
  [NEWER, 'reportingInstance = a × 129', 'reportingInstance: Invalid value: "": can have at most 128 characters'],
  [NEWER, 'message = a × 1024'],
  [NEWER, 'message = a × 1025', 'message: Invalid value: "": can have at most 1024 characters'],
  // An event with a time may be about an object of any namespace; about one without a namespace, it is in one of two.
  [NEWER, 'involvedObject.namespace = other'],
  [NEWER, '-involvedObject.namespace'],
  [NEWER, '-involvedObject.namespace && metadata.namespace = kube-system'],
  [NEWER, '-involvedObject.namespace && metadata.namespace = ns', `involvedObject.namespace: Invalid value: "": ${ELSEWHERE}`],
  // An old event has no time, and the namespace of its object.
  [CORE, '-eventTime && -series && -type && -action && -reason && -reportingComponent'],
  [CORE, '-eventTime && involvedObject.namespace = other', `involvedObject.namespace: Invalid value: "other": ${ELSEWHERE}`],
  [CORE, '-eventTime && -involvedObject.namespace'],
  [CORE, '-eventTime && -involvedObject.namespace && metadata.namespace = ""'],
  [CORE, '-eventTime && -involvedObject.namespace && metadata.namespace = ns', `involvedObject.namespace: Invalid value: "": ${ELSEWHERE}`],
  [CORE, 'series.count = 1 && count = 1 && type = Odd'],
  [
    CORE,
    '-reportingComponent && -reason',
    'reportingComponent: Required value',
    'reportingComponent: Invalid value: "": name part must be non-empty',
    'reportingComponent: Invalid value: "": name part must consist of…',
    'reason: Required value',
  ],
]

const changedTo = (path: string, value: string) => `${path}: Invalid value: ${value}: field is immutable`
const UPDATES: readonly (readonly [apiVersion: string, change: string, ...faults: string[]])[] = [
  [NEWER, 'series.count = 4'],
  [NEWER, 'series.count = 1', 'series.count: Invalid value: "": should be at least 2'],
  [NEWER, '-series'],
  // Kubernetes reports the reason twice.
  [NEWER, 'reason = S', changedTo('reason', '"S"'), changedTo('reason', '"S"')],
  [NEWER, 'message = o', changedTo('message', '"o"')],
  [NEWER, '-message', changedTo('message', '""')],
  [NEWER, 'type = Normal', changedTo('type', '"Normal"')],
  [NEWER, 'action = Walk', changedTo('action', '"Walk"')],
  [NEWER, 'reportingInstance = j', changedTo('reportingInstance', '"j"')],
  [NEWER, 'reportingComponent = d', changedTo('reportingController', '"d"')],
  [NEWER, 'count = 1', changedTo('count', '1')],
  [NEWER, 'count = 0'],
  [NEWER, `firstTimestamp = "${TIME}"`, changedTo('firstTimestamp', `"${TIME}"`)],
  [NEWER, `lastTimestamp = "${TIME}"`, changedTo('lastTimestamp', `"${TIME}"`)],
  [NEWER, '-eventTime', changedTo('eventTime', 'null')],
  [NEWER, 'involvedObject.name = q', 'involvedObject: Invalid value: {"Kind":"Pod","Namespace":"default","Name":"q",…'],
  [NEWER, 'involvedObject.uid = u', 'involvedObject: Invalid value: {"Kind":"Pod",…'],
  [NEWER, 'involvedObject.fieldPath = f', 'involvedObject: Invalid value: {"Kind":"Pod",…'],
  [NEWER, 'related.name = o', 'related: Invalid value: {"Kind":"Node",…'],
  [NEWER, '-related', changedTo('related', 'null')],
  [NEWER, 'source = {host: h}', changedTo('source', '{"Component":"","Host":"h"}')],
  [NEWER, 'source = {component: c}', changedTo('source', '{"Component":"c","Host":""}')],
  [CORE, 'message = o && type = Odd && series.count = 1'],
  [CORE, '-reason', 'reason: Required value'],
]

for (const [way, rows, validate] of [
  ['create', CREATES, validateEvent],
  ['update', UPDATES, (object: CoreEvent, apiVersion: string) => validateEventUpdate(object, event, apiVersion)],
] as const)
  for (const [apiVersion, change, ...faults] of rows)
    test(`${way} by ${apiVersion}: ${change}`, () => {
      const found = validate(changed(event, change), apiVersion).map(faultText)
      assert.deepEqual(
        found.map((text, i) => (faults[i]?.endsWith('…') && text.startsWith(faults[i].slice(0, -1)) ? faults[i] : text)),
        faults,
      )
    })
