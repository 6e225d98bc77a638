import { type AdmissionPlugin, isAbout, refusal } from '../../apiserver/admission/plugin.ts'

/** A service gets no external addresses that it did not have. Off unless it is enabled. */
export const denyServiceExternalIps: AdmissionPlugin = {
  name: 'DenyServiceExternalIPs',
  handles: (r) => (r.operation === 'CREATE' || r.operation === 'UPDATE') && isAbout(r, '', 'services'),
  validate(request) {
    const now: readonly string[] = request.object?.spec?.externalIPs ?? []
    const before = new Set<string>(request.oldObject?.spec?.externalIPs ?? [])
    if (now.every((ip) => before.has(ip))) return
    throw refusal(request, 'Use of external IPs is denied by admission control')
  },
}
