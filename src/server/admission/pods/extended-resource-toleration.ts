import type { AdmissionPlugin } from '../../../apiserver/admission/plugin.ts'
import { isExtendedResource } from '../../../resources/pod/resource-names.ts'
import type { Toleration } from '../../../resources/types/core.ts'
import { createdPod } from '../requests-about.ts'

/** A pod that requests an extended resource tolerates the taint of that name, so that nodes with such devices can be reserved for it. */
export const extendedResourceToleration: AdmissionPlugin = {
  name: 'ExtendedResourceToleration',
  handles: (r) => createdPod(r) !== undefined,
  mutate(request) {
    const pod = createdPod(request)
    if (pod === undefined) return
    const names = new Set<string>()
    for (const container of [...(pod.spec.containers ?? []), ...(pod.spec.initContainers ?? [])]) {
      for (const name of Object.keys(container.resources?.requests ?? {})) if (isExtendedResource(name)) names.add(name)
    }
    if (names.size === 0) return
    const others = (pod.spec.tolerations ?? []).filter((t) => !(isAdded(t) && names.has(t.key ?? '')))
    pod.spec.tolerations = [...others, ...[...names].sort().map((key) => ({ key, ...ADDED }))]
  },
}

const ADDED = { operator: 'Exists', effect: 'NoSchedule' } satisfies Toleration
const isAdded = ({ operator, effect, value }: Toleration): boolean => operator === ADDED.operator && effect === ADDED.effect && !value
