import type { ContainerRecord } from '../../types/container-record.ts'
import { killContainers } from '../containers/carry-out.ts'
import { planPod } from '../plan/plan-pod.ts'
import type { PodStep } from './pod-step.ts'
import { renewSandbox } from './renew-sandbox.ts'
import { actuateResize, finishResize, growGroup, resizeRestarts } from './resize-step.ts'
import { restartAll } from './restart-all.ts'
import { startContainers } from './start-containers.ts'

/** Plans the next actions of the pod, and runs them. `records`: its containers as they were reported. */
export async function followPlan(step: PodStep, records: readonly ContainerRecord[], signal: AbortSignal): Promise<void> {
  const { deps, state, probes } = step
  probes.follow()
  const plan = planPod({ pod: state.pod, records, sandboxes: state.runtime.sandboxes, probes })
  // Containers that are killed below restart without a back-off.
  const ended = state.runtime.containers.filter((c) => c.state === 'exited')
  if (plan.killPod && !(await renewSandbox(step, plan, signal))) return
  if (plan.restartAll) return restartAll(step, signal)
  const restarts = resizeRestarts(step)
  const kills = [...plan.kill, ...restarts]
  if (kills.length > 0) {
    await killContainers(deps, kills, { pod: state.pod, podIps: state.podIps }, signal)
    await step.look(signal)
    // Another step reports their ends and the back-off of their successors.
    state.again()
  }
  if (state.resize.actuations(state.pod).length > 0) await actuateResize(step, signal)
  else await growGroup(step, signal)
  const start = [...plan.start, ...restarts.map((k) => k.record)]
  await startContainers(step, start, ended, signal)
  await finishResize(step, signal)
}
