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
    const present = pod.spec.tolerations ?? []
    const covered = new Set(present.filter(toleratesByName).map((t) => t.key || undefined))
    const added = [...names]
      .sort()
      .filter((key) => !covered.has(key) && !covered.has(undefined))
      .map((key): Toleration => ({ key, operator: 'Exists' }))
    if (added.length > 0) pod.spec.tolerations = [...present, ...added]
  },
}

const toleratesByName = (t: Toleration): boolean => (t.operator === 'Exists' || (!t.operator && !t.value)) && !t.effect
