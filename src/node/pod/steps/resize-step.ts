import { referenceTo } from '../../../sdk/controller/event-recorder.ts'
import { RuntimeError } from '../../runtime/runtime.ts'
import type { Kill } from '../plan/plan-pod.ts'
import { containerResources } from '../spec/resolve-resources.ts'
import type { PodStep } from './pod-step.ts'

/** Allocates the resources of the spec, or records why they have to wait. True if they were allocated. */
export function decideResize(step: PodStep): boolean {
  const { deps, state } = step
  const { pod, resize } = state
  if (!resize.wanted(pod)) {
    if (resize.state.kind === 'pending') resize.state = { kind: 'none' }
    return false
  }
  const resizeRefusal = deps.resizeRefusal(pod, resize.asAllocated(pod))
  if (!resize.decide(pod, resizeRefusal)) return false
  if (resizeRefusal === undefined) notify(step, 'Normal', 'ResizeStarted', `Pod resize started: ${resize.report(pod)}`)
  else {
    const said = `Pod resize ${resizeRefusal.word ?? `OutOf${resizeRefusal.resource}`}: ${resize.report(pod, resizeRefusal.message)}`
    notify(step, 'Warning', `Resize${resizeRefusal.kind}`, said)
  }
  return resizeRefusal === undefined
}

/** Starts the actuation of a new allocation; it is complete if no running container is affected. */
export function beginResize(step: PodStep): void {
  const { pod, resize, records } = step.state
  if (resize.begin(pod, (name) => records.find((r) => r.container.name === name)?.state.kind === 'running')) reportCompleted(step)
}

/** The containers that have to restart for their new resources. */
export function resizeRestarts({ state }: PodStep): readonly Kill[] {
  return state.resize.actuations(state.pod).flatMap(({ name, resources, restart }): readonly Kill[] => {
    const record = state.records.find((r) => r.container.name === name)
    if (!restart || record?.state.kind !== 'running') return []
    state.resize.done(name, resources)
    return [{ record, because: 'changed', message: `Container ${name} resize requires restart` }]
  })
}

/** Retry delay after the runtime refused new resources. */
const RETRY_MS = 1000

/** Updates the resources in the runtime. */
export async function actuateResize(step: PodStep, signal: AbortSignal): Promise<void> {
  const { deps, state } = step
  for (const { name, resources } of state.resize.actuations(state.pod)) {
    const record = state.records.find((r) => r.container.name === name)
    try {
      if (record?.state.kind === 'running') {
        const pod = state.resize.asAllocated(state.pod)
        const amounts = deps.completeResources(pod, { ...record.container, resources }, containerResources({ resources }))
        await deps.runtime.updateResources(record.state.id, amounts, signal)
      }
      state.resize.done(name, resources)
    } catch (error) {
      if (!(error instanceof RuntimeError)) throw error
      state.wakeAt(deps.clock.now() + RETRY_MS)
      if (!state.resize.failed(state.pod, error.message)) return
      notify(step, 'Warning', 'ResizeError', `Pod resize error: ${state.resize.report(state.pod, error.message)}`)
      state.again()
      return
    }
  }
}

/** Completes the resize when everything is actuated. */
export function finishResize(step: PodStep): void {
  const { pod, resize } = step.state
  if (resize.actuations(pod).length > 0 || !resize.finish(pod)) return
  step.deps.resized(step.state.resize.asAllocated(pod))
  reportCompleted(step)
  step.state.again()
}

const reportCompleted = (step: PodStep) =>
  notify(step, 'Normal', 'ResizeCompleted', `Pod resize completed: ${step.state.resize.report(step.state.pod)}`)

function notify({ deps, state }: PodStep, type: 'Normal' | 'Warning', reason: string, message: string): void {
  deps.events.record({ regarding: referenceTo(state.pod), type, reason, message })
}
