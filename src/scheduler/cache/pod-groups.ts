import type { Pod } from '../../resources/types/core.ts'

/** The pods of one PodGroup, by their keys. */
export interface PodGroupMembers {
  /** Without a node. */
  readonly unplaced: ReadonlySet<string>
  /** On a node, or assumed to be there. */
  readonly placed: ReadonlySet<string>
}

const EMPTY: PodGroupMembers = { unplaced: new Set(), placed: new Set() }

/** The pods that name a PodGroup, by `namespace/name` of the group. Pods without one cost nothing. */
export class PodGroups {
  readonly #groups = new Map<string, { readonly unplaced: Set<string>; readonly placed: Set<string> }>()

  of(namespace: string, name: string): PodGroupMembers {
    return this.#groups.get(`${namespace}/${name}`) ?? EMPTY
  }

  /** Notes where the pod is now; `gone`: it is deleted or has finished. */
  note(key: string, pod: Readonly<Pod>, now: 'unplaced' | 'placed' | 'gone'): void {
    const name = groupOf(pod)
    if (name === undefined) return
    const id = `${pod.metadata.namespace ?? ''}/${name}`
    const group = this.#groups.get(id) ?? { unplaced: new Set(), placed: new Set() }
    group.unplaced.delete(key)
    group.placed.delete(key)
    if (now !== 'gone') group[now].add(key)
    if (group.unplaced.size + group.placed.size === 0) this.#groups.delete(id)
    else this.#groups.set(id, group)
  }
}

/** The name of the pod's PodGroup. */
export const groupOf = ({ spec }: Readonly<Pod>): string | undefined => spec.schedulingGroup?.podGroupName
