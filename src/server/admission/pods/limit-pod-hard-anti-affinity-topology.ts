import { type AdmissionPlugin, isAbout } from '../../../apiserver/admission/plugin.ts'
import { forbiddenStatus } from '../../../machinery/status-error.ts'

const HOSTNAME = 'kubernetes.io/hostname'

/** A pod may keep others off its node, and off nothing larger. Off unless it is enabled. */
export const limitPodHardAntiAffinityTopology: AdmissionPlugin = {
  name: 'LimitPodHardAntiAffinityTopology',
  handles: (r) => (r.operation === 'CREATE' || r.operation === 'UPDATE') && isAbout(r, '', 'pods'),
  validate({ object: pod }) {
    const terms: readonly { topologyKey?: string }[] =
      pod?.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
    const wrong = terms.find((term) => term.topologyKey !== HOSTNAME)
    if (wrong === undefined) return
    const why = `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${wrong.topologyKey ?? ''} but only key ${HOSTNAME} is allowed`
    throw forbiddenStatus({ group: '', resource: 'pods' }, pod?.metadata.name ?? '', why)
  },
}
