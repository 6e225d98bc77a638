import { type AdmissionPlugin, refusal } from '../../apiserver/admission/plugin.ts'
import { SERVICES } from '../../resources/refs.ts'
import type { Service } from '../../resources/types/core.ts'
import { isAbout, isWrite } from './requests-about.ts'

/** Refuses new external IPs of services. Off unless it is enabled. */
export const denyServiceExternalIps: AdmissionPlugin<Service> = {
  name: 'DenyServiceExternalIPs',
  handles: (r) => isWrite(r) && isAbout(r, SERVICES),
  validate(request) {
    const now = request.object?.spec?.externalIPs ?? []
    const before = new Set<string>(request.oldObject?.spec?.externalIPs ?? [])
    if (now.every((ip) => before.has(ip))) return
    throw refusal(request, 'Use of external IPs is denied by admission control')
  },
}
