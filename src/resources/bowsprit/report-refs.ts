import type { ResourceRef } from '../../machinery/api-call.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { ControllerReport } from './controller-report.ts'
import type { FieldHistory } from './field-history.ts'
import type { NodeReport } from './node-report.ts'
import type { ObjectConversion } from './object-conversion.ts'
import type { QueueReport } from './queue-report.ts'
import type { RequestTrail } from './request-trail.ts'
import type { SchedulingReport } from './scheduling-report.ts'
import type { TopologyReport } from './topology-report.ts'

const ref = <T extends KubeObject>(resource: string): ResourceRef<T> => ({ group: 'bowsprit.dev', version: 'v1', resource })

export const CONTROLLER_REPORTS = ref<ControllerReport>('controllerreports')
export const FIELD_HISTORIES = ref<FieldHistory>('fieldhistories')
export const NODE_REPORTS = ref<NodeReport>('nodereports')
export const OBJECT_CONVERSIONS = ref<ObjectConversion>('objectconversions')
export const QUEUE_REPORTS = ref<QueueReport>('queuereports')
export const REQUEST_TRAILS = ref<RequestTrail>('requesttrails')
export const SCHEDULING_REPORTS = ref<SchedulingReport>('schedulingreports')
export const TOPOLOGY_REPORTS = ref<TopologyReport>('topologyreports')
