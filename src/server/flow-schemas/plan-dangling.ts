import { goQuote } from '../../machinery/field-error.ts'
import type { FlowSchema, FlowSchemaCondition, PriorityLevelConfiguration } from '../../resources/types/flowcontrol.ts'

/** The condition Dangling of a flow schema, without the time since which it holds. */
export type DanglingCondition = Readonly<Record<'type' | 'status' | 'reason' | 'message', string>>

/** Whether the priority level that a flow schema references is missing, in the words of kube-apiserver. */
export function danglingCondition(level: string, exists: boolean): DanglingCondition {
  const reference = `This FlowSchema references the PriorityLevelConfiguration object named ${goQuote(level)}`
  return exists
    ? { type: 'Dangling', status: 'False', reason: 'Found', message: `${reference} and it exists` }
    : { type: 'Dangling', status: 'True', reason: 'NotFound', message: `${reference} but there is no such object` }
}

/** The conditions to write, by the name of the flow schema: those that it lacks or has otherwise. */
export function planDangling(
  schemas: readonly FlowSchema[],
  levels: readonly PriorityLevelConfiguration[],
): ReadonlyMap<string, DanglingCondition> {
  const existing = new Set(levels.map(({ metadata }) => metadata.name))
  const plan = new Map<string, DanglingCondition>()
  for (const { metadata, spec, status } of schemas) {
    const { name: level } = spec.priorityLevelConfiguration
    const wanted = danglingCondition(level, existing.has(level))
    const present = status?.conditions?.find(({ type }) => type === wanted.type)
    if (present === undefined || !isSame(present, wanted)) plan.set(metadata.name ?? '', wanted)
  }
  return plan
}

/** Equal but for the time of the last transition, which a client may set as it likes. */
const isSame = (present: FlowSchemaCondition, wanted: DanglingCondition): boolean =>
  present.status === wanted.status && present.reason === wanted.reason && present.message === wanted.message
