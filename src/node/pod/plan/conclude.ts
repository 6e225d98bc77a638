import type { ContainerRecord } from '../../types/container-record.ts'
import type { Pod } from '../../types/pod.ts'
import { unknownEnd } from './container-record.ts'

/**
 * The final records of an ended pod. A container that started, or may have started, without a known end gets an unknown end. Those that
 * cannot have started are unchanged: main containers, if the pod was not initialized when its stop began (`before`). Returns the same list
 * if nothing changes. Pure.
 */
export function conclude(
  pod: Pod,
  records: readonly ContainerRecord[],
  before: readonly ContainerRecord[] = records,
): readonly ContainerRecord[] {
  const initial = records.filter((r) => r.role === 'init' || r.role === 'sidecar')
  const lastBegun = Math.max(
    initial.findLastIndex((r) => r.state.kind !== 'waiting' || r.last !== undefined),
    0,
  )
  const due = new Set(initial.slice(0, lastBegun + 1))
  if (isInitialised(pod, before)) for (const r of records) if (r.role === 'main') due.add(r)
  const open = (r: ContainerRecord) => due.has(r) && r.state.kind !== 'terminated'
  if (!records.some(open)) return records
  return records.map((r) => (open(r) ? { ...r, state: unknownEnd(''), ready: false, started: false } : r))
}

/** Whether initialization was complete, so that the main containers may have run. */
function isInitialised(pod: Pod, records: readonly ContainerRecord[]): boolean {
  if ((pod.spec.initContainers ?? []).length === 0) return true
  const last = records.findLast((r) => r.role === 'init' || r.role === 'sidecar')
  if (records.some((r) => r.role === 'main' && (r.last !== undefined || r.state.kind !== 'waiting'))) return true
  if (last === undefined) return false
  if (last.role === 'sidecar') return last.state.kind === 'running' && last.started
  return [last.state, last.last].some((s) => s?.kind === 'terminated' && s.exitCode === 0)
}
