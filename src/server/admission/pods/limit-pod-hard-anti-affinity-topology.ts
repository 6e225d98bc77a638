import type { AdmissionPlugin } from '../../../apiserver/admission/plugin.ts'
import { forbiddenStatus } from '../../../machinery/status-error.ts'
import { PODS } from '../../../resources/refs.ts'
import type { Pod } from '../../../resources/types/core.ts'
import { isAbout, isWrite } from '../requests-about.ts'

const HOSTNAME = 'kubernetes.io/hostname'

/** Required anti-affinity is allowed for the host name topology only. Off unless it is enabled. */
export const limitPodHardAntiAffinityTopology: AdmissionPlugin<Pod> = {
  name: 'LimitPodHardAntiAffinityTopology',
  handles: (r) => isWrite(r) && isAbout(r, PODS),
  validate({ object: pod }) {
    const terms = pod?.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
    const wrong = terms.find((term) => term.topologyKey !== HOSTNAME)
    if (wrong === undefined) return
    const why = `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${wrong.topologyKey ?? ''} but only key ${HOSTNAME} is allowed`
    throw forbiddenStatus({ group: '', resource: 'pods' }, pod?.metadata.name ?? '', why)
  },
}
