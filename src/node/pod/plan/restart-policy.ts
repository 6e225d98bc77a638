import type { ContainerRestartRule } from '../../../resources/types/core.ts'
import { type Container, type ContainerRole, isBeingDeleted, type Pod } from '../../types/pod.ts'

interface Restarted {
  readonly container: Container
  readonly role: ContainerRole
}

/** Whether a container that ended with this code is started again: never while its pod is being deleted. */
export const shouldRestart = (pod: Pod, container: Restarted, exitCode: number): boolean =>
  !isBeingDeleted(pod) && mayRestart(pod, container, exitCode)

/**
 * Whether a container that ended with this code would be started again: its own rules, its own policy, its pod's policy, in this order
 * (KEP-5307).
 */
export function mayRestart(pod: Pod, { container, role }: Restarted, exitCode: number): boolean {
  if (role === 'ephemeral') return false
  if (role === 'sidecar') return true
  if (ruleFor(container, exitCode) !== undefined) return true
  const policy = container.restartPolicy ?? pod.spec.restartPolicy ?? 'Always'
  if (role === 'init') return exitCode !== 0 && policy !== 'Never'
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0)
}

/** The first of the container's rules that this exit code meets. */
function ruleFor(container: Container, exitCode: number): ContainerRestartRule | undefined {
  return container.restartPolicyRules?.find(({ exitCodes }) => {
    if (exitCodes === undefined) return false
    const named = exitCodes.values?.includes(exitCode) ?? false
    return exitCodes.operator === 'In' ? named : !named
  })
}

/** How the last attempt of a container is said to have ended when all of its pod begin anew. */
export const RESTARTING_ALL = 'RestartingAllContainers'

/** Whether the container waits for that: it starts again whatever its policy is. */
export const beginsAnew = ({ last }: { readonly last?: { readonly reason?: string } }): boolean => last?.reason === RESTARTING_ALL

interface Ended {
  readonly container: Container
  readonly state: { readonly kind: string; readonly exitCode?: number }
  readonly current?: unknown
}

/** Whether a rule of the container asks for all containers to begin anew, now that it has ended. */
export function startsAllAnew({ state, current, container }: Ended): boolean {
  const exitCode = state.kind === 'terminated' && current !== undefined ? state.exitCode : undefined
  return exitCode !== undefined && ruleFor(container, exitCode)?.action === 'RestartAllContainers'
}
