import type { KubeObject } from '../../machinery/object.ts'
import { type EventRecorder, type EventType, type RecordedEvent, referenceTo } from '../../sdk/controller/event-recorder.ts'

/** What happened to an object. */
export type ObjectEvent = Pick<RecordedEvent, 'type' | 'reason' | 'message'>

/** Records what happens to objects, as events in the name of one controller. */
export interface ObjectEvents extends Pick<EventRecorder, 'record'> {
  about(object: KubeObject, event: ObjectEvent): void
  normal(object: KubeObject, reason: string, message: string): void
  warning(object: KubeObject, reason: string, message: string): void
}

export function objectEvents(recorder: Pick<EventRecorder, 'record'>): ObjectEvents {
  const about = (object: KubeObject, event: ObjectEvent) => recorder.record({ regarding: referenceTo(object), ...event })
  const of = (type: EventType) => (object: KubeObject, reason: string, message: string) => about(object, { type, reason, message })
  return { record: (event) => recorder.record(event), about, normal: of('Normal'), warning: of('Warning') }
}
