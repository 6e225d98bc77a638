import type { Pod, Service } from '../../resources/types/core.ts'
import { conditionOf, isReady } from '../pods/pod-state.ts'

/** Remembers when pods became ready or not, so that a change of endpoints can be dated by its cause. */
export class TriggerTimes {
  readonly #seen = new Map<string, ReadonlyMap<string, string>>()

  /** The earliest new cause for a change of this service, if there is one. */
  next(key: string, service: Service, pods: readonly Pod[]): string | undefined {
    const before = this.#seen.get(key)
    // A pod may become ready within the second in which it was not: the state is part of the cause.
    const now = new Map(pods.map((p) => [p.metadata.name ?? '', `${conditionOf(p, 'Ready')?.lastTransitionTime ?? ''} ${isReady(p)}`]))
    this.#seen.set(key, now)
    const causes = [...now].flatMap(([name, state]) => (before?.get(name) === state ? [] : (state.split(' ')[0] ?? '')))
    if (before === undefined) causes.push(String(service.metadata.creationTimestamp ?? ''))
    return causes.filter((time) => time !== '').sort()[0]
  }

  forget(key: string): void {
    this.#seen.delete(key)
  }
}
