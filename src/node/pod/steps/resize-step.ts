import { referenceTo } from '../../../sdk/controller/event-recorder.ts'
import type { Kill } from '../plan/plan-pod.ts'
import { containerResources } from '../spec/resolve-resources.ts'
import type { PodStep } from './pod-step.ts'

/** The spec asks for other amounts than the pod was given: it gets them, or waits until there is room. */
export function decideResize(step: PodStep): void {
  const { deps, state } = step
  const { pod, resize } = state
  if (!resize.wanted(pod)) {
    if (resize.state.kind === 'pending') resize.state = { kind: 'none' }
    return
  }
  const noRoom = deps.noRoom(pod, resize.asAllocated(pod))
  if (!resize.decide(pod, noRoom)) return
  if (noRoom === undefined) tell(step, 'Normal', 'ResizeStarted', `Pod resize started: ${resize.report(pod)}`)
  else {
    const said = `Pod resize ${noRoom.word ?? `OutOf${noRoom.resource}`}: ${resize.report(pod, noRoom.message)}`
    tell(step, 'Warning', `Resize${noRoom.kind}`, said)
  }
}

/** Tells the runtime of amounts that were given; the containers that have to be restarted for theirs. */
export async function actuateResize({ deps, state }: PodStep, signal: AbortSignal): Promise<readonly Kill[]> {
  const restarts: Kill[] = []
  for (const { name, resources, restart } of state.resize.actuations(state.pod)) {
    const record = state.records.find((r) => r.container.name === name)
    if (record?.state.kind === 'running' && restart)
      restarts.push({ record, because: 'changed', message: `Container ${name} resize requires restart` })
    else if (record?.state.kind === 'running')
      await deps.runtime.updateResources(record.state.id, containerResources({ resources }), signal)
    state.resize.done(name, resources)
  }
  return restarts
}

/** When everything was told, the resize is over. */
export function finishResize(step: PodStep): void {
  const { pod, resize } = step.state
  if (resize.actuations(pod).length > 0 || !resize.finish(pod)) return
  tell(step, 'Normal', 'ResizeCompleted', `Pod resize completed: ${resize.report(pod)}`)
  step.state.again()
}

function tell({ deps, state }: PodStep, type: 'Normal' | 'Warning', reason: string, message: string): void {
  deps.events.record({ regarding: referenceTo(state.pod), type, reason, message })
}
