import type { ContainerRestartRule } from '../../../resources/types/core.ts'
import { type Container, type ContainerRole, isBeingDeleted, type Pod } from '../../types/pod.ts'

interface Restarted {
  readonly container: Container
  readonly role: ContainerRole
}

/** Whether a container that ended with this code is started again: never while its pod is being deleted. */
export const shouldRestart = (pod: Pod, container: Restarted, exitCode: number): boolean =>
  !isBeingDeleted(pod) && mayRestart(pod, container, exitCode)

/** Whether a container with this exit code would be started again: by its own rules, its own policy, then its pod's policy (KEP-5307). */
export function mayRestart(pod: Pod, { container, role }: Restarted, exitCode: number): boolean {
  if (role === 'ephemeral') return false
  if (role === 'sidecar') return true
  if (ruleFor(container, exitCode) !== undefined) return true
  const policy = container.restartPolicy ?? pod.spec.restartPolicy ?? 'Always'
  if (role === 'init') return exitCode !== 0 && policy !== 'Never'
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0)
}

/** The first of the container's rules that matches the exit code. */
function ruleFor(container: Container, exitCode: number): ContainerRestartRule | undefined {
  return container.restartPolicyRules?.find(({ exitCodes }) => {
    if (exitCodes === undefined) return false
    const named = exitCodes.values?.includes(exitCode) ?? false
    return exitCodes.operator === 'In' ? named : !named
  })
}

/** The reason of the last state of a container when all containers of the pod are restarted. */
export const RESTARTING_ALL = 'RestartingAllContainers'

/** Whether the container waits to be restarted with all others, whatever its policy is. */
export const beginsAnew = ({ last }: { readonly last?: { readonly reason?: string } }): boolean => last?.reason === RESTARTING_ALL

interface Ended {
  readonly container: Container
  readonly state: { readonly kind: string; readonly exitCode?: number; readonly reason?: string }
  readonly current?: { readonly exitCode?: number } | undefined
}

/** Whether a restart rule of the ended container restarts all containers. One that is shown as waiting ended too, if its start failed. */
export function startsAllAnew({ state, current, container }: Ended): boolean {
  if (current === undefined || state.reason === RESTARTING_ALL) return false
  const exitCode = state.kind === 'terminated' ? state.exitCode : state.kind === 'waiting' ? current.exitCode : undefined
  return exitCode !== undefined && ruleFor(container, exitCode)?.action === 'RestartAllContainers'
}
