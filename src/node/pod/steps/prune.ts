import type { PodStep } from './pod-step.ts'

/** Removes a container's ended attempts except the newest, whose log is kept. */
export async function prune({ deps, state }: Pick<PodStep, 'deps' | 'state'>, signal: AbortSignal): Promise<void> {
  const { containers } = state.runtime
  const newest = new Map(
    containers
      .filter((c) => c.state === 'exited')
      .toReversed()
      .map((c) => [c.name, c.id]),
  )
  const old = containers.filter((c) => c.state === 'exited' && newest.get(c.name) !== c.id)
  for (const c of old) await deps.runtime.removeContainer(c.id, signal)
  if (old.length > 0)
    await deps.afterPrune(
      state.pod,
      containers.filter((c) => !old.includes(c)),
    )
}
