import { type AdmissionPlugin, type AdmissionRequest, refusal } from '../../../apiserver/admission/plugin.ts'
import { resourceAttributes } from '../../../apiserver/identity/authorizer.ts'
import { equalJson } from '../../../machinery/equal.ts'
import { goQuote } from '../../../machinery/field-error.ts'
import { SYSTEM_MASTERS } from '../../../machinery/resource/user.ts'
import { readCertificateRequest } from '../../../machinery/x509/certificate-request.ts'
import { CERTIFICATE_SIGNING_REQUESTS, CLUSTER_TRUST_BUNDLES } from '../../../resources/refs.ts'
import type { CertificateSigningRequest } from '../../../resources/types/certificates.ts'
import type { ClusterTrustBundle } from '../../../resources/types/certificates-v1beta1.ts'
import type { AdmissionDeps } from '../admission-deps.ts'
import { isAbout, isOf, isWrite } from '../requests-about.ts'
import { changesOnlyOwners } from './changes-only-owners.ts'

const GROUP = 'certificates.k8s.io'
const isCsr = (r: AdmissionRequest, subresource: string) => isOf(r, CERTIFICATE_SIGNING_REQUESTS) && r.subresource === subresource

/** Whether the user may `approve` or `sign` for this signer, or for its whole domain (`example.com/*`). */
async function mayUse({ authorizer }: AdmissionDeps, request: AdmissionRequest, verb: string, signer: string): Promise<boolean> {
  const names = [signer, `${signer.split('/')[0]}/*`]
  for (const name of names) {
    const decision = await authorizer.authorize(resourceAttributes({ user: request.user, verb, group: GROUP, resource: 'signers', name }))
    if (decision.verdict === 'allow') return true
  }
  return false
}

/** Approvals require the right to `approve` for the request's signer. */
export function certificateApproval(deps: AdmissionDeps): AdmissionPlugin<CertificateSigningRequest> {
  return {
    name: 'CertificateApproval',
    handles: (r) => r.operation === 'UPDATE' && isCsr(r, 'approval'),
    async validate(request) {
      const signer = request.oldObject?.spec?.signerName ?? ''
      if (!(await mayUse(deps, request, 'approve', signer)))
        throw refusal(request, `user not permitted to approve requests with signerName ${goQuote(signer)}`)
    },
  }
}

/** Writing a certificate, or the condition Failed, requires the right to `sign`. */
export function certificateSigning(deps: AdmissionDeps): AdmissionPlugin<CertificateSigningRequest> {
  return {
    name: 'CertificateSigning',
    handles: (r) => r.operation === 'UPDATE' && isCsr(r, 'status'),
    async validate(request) {
      const before = request.oldObject?.status
      const after = request.object?.status
      if ((before?.certificate ?? '') === (after?.certificate ?? '') && equalJson(before?.conditions ?? [], after?.conditions ?? [])) return
      const signer = request.oldObject?.spec?.signerName ?? ''
      if (!(await mayUse(deps, request, 'sign', signer)))
        throw refusal(request, `user not permitted to sign requests with signerName ${goQuote(signer)}`)
    },
  }
}

/** Writing a bundle of a signer requires the right to `attest` for it. */
export function clusterTrustBundleAttest(deps: AdmissionDeps): AdmissionPlugin<ClusterTrustBundle> {
  return {
    name: 'ClusterTrustBundleAttest',
    handles: (r) => isWrite(r) && isAbout(r, CLUSTER_TRUST_BUNDLES),
    async validate(request) {
      const signer = request.object?.spec?.signerName ?? ''
      const { object, oldObject } = request
      if (signer === '' || (object && oldObject && changesOnlyOwners(object, oldObject))) return
      if (!(await mayUse(deps, request, 'attest', signer)))
        throw refusal(request, `user not permitted to attest for signerName ${goQuote(signer)}`)
    },
  }
}

/** Refuses client certificates with the group `system:masters`. */
export const certificateSubjectRestriction: AdmissionPlugin<CertificateSigningRequest> = {
  name: 'CertificateSubjectRestriction',
  handles: (r) => r.operation === 'CREATE' && isCsr(r, ''),
  validate(request) {
    const spec = request.object?.spec
    if (spec?.signerName !== 'kubernetes.io/kube-apiserver-client') return
    const parsed = readCertificateRequest(Buffer.from(spec.request ?? '', 'base64').toString())
    if (parsed === undefined || !parsed.subject.organizations.includes(SYSTEM_MASTERS)) return
    throw refusal(request, 'use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed')
  },
}
