import type { AdmitHandler } from '../types/admit-handler.ts'
import { containersOf, type Pod } from '../types/pod.ts'
import type { NodeHost } from './node-host.ts'

/** Whether any container of the pod requests a profile. */
function wantsProfile(pod: Pod): boolean {
  const own = pod.spec.securityContext?.appArmorProfile
  return containersOf(pod).some(({ container }) => {
    const profile = container.securityContext?.appArmorProfile ?? own
    return profile !== undefined && profile.type !== 'Unconfined'
  })
}

/** Refuses pods whose profiles the machine cannot enforce; pods that ran before are admitted. */
export const appArmorHandler = (host: Pick<NodeHost, 'appArmor'>): AdmitHandler => ({
  name: 'AppArmor',
  admit({ pod }) {
    if (host.appArmor || (pod.status.phase ?? 'Pending') !== 'Pending' || !wantsProfile(pod)) return undefined
    return { reason: 'AppArmor', message: 'Cannot enforce AppArmor: AppArmor is not enabled on the host' }
  },
  release: () => {},
})
