import { type Clock, timestamp } from '../../base/clock.ts'
import { ignoring } from '../../machinery/ignoring.ts'
import { issueCertificate, issuerFrom } from '../../machinery/x509/certificate.ts'
import { type CertificateSigningRequest as Request, readCertificateRequest } from '../../machinery/x509/certificate-request.ts'
import { CERTIFICATE_SIGNING_REQUESTS } from '../../resources/refs.ts'
import type { SubjectAccessReview } from '../../resources/types/authorization.ts'
import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
  CertificateSigningRequestStatus,
} from '../../resources/types/certificates.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { ReconcileResult } from '../../sdk/controller/run-controller.ts'
import type { ControllerDeps } from '../frame/controller.ts'
import { targetOf } from '../frame/objects.ts'
import { planApproval, planSigning, staleAtMs } from './plan.ts'

export interface CertificateDeps {
  readonly client: Client
  readonly clock: Clock
  readonly authority: ControllerDeps['authority']
}

const REVIEWS = { group: 'authorization.k8s.io', version: 'v1', resource: 'subjectaccessreviews' }
/** Certificates are valid from a little before now, because clocks differ. As upstream. */
const BACKDATE_MS = 300_000

export async function reconcileRequest(deps: CertificateDeps, csr: CertificateSigningRequest): Promise<ReconcileResult> {
  const { client, clock } = deps
  const staleMs = staleAtMs(csr)
  if (staleMs !== undefined && staleMs <= clock.now()) {
    await client.delete(targetOf(CERTIFICATE_SIGNING_REQUESTS, csr)).catch(ignoring('NotFound'))
    return undefined
  }
  const request = readCertificateRequest(Buffer.from(csr.spec.request, 'base64').toString())
  await approve(deps, csr, request)
  await sign(deps, csr, request)
  return staleMs === undefined ? undefined : { requeueAfterMs: staleMs - clock.now() }
}

async function approve(deps: CertificateDeps, csr: CertificateSigningRequest, request: Request | undefined): Promise<void> {
  for (const { subresource, what } of planApproval(csr, request)) {
    if (!(await mayCreate(deps, csr, subresource))) continue
    const message = `Auto approving ${what} certificate after SubjectAccessReview.`
    return write(deps, csr, 'approval', { conditions: [{ type: 'Approved', status: 'True', reason: 'AutoApproved', message }] })
  }
}

/** Whether the creator of the request has the right to such a certificate. */
async function mayCreate({ client }: CertificateDeps, { spec }: CertificateSigningRequest, subresource: string): Promise<boolean> {
  const { username: user = '', uid, groups, extra } = spec
  const review: SubjectAccessReview = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    metadata: {},
    spec: {
      user,
      ...(uid ? { uid } : {}),
      ...(groups ? { groups } : {}),
      ...(extra ? { extra } : {}),
      resourceAttributes: {
        group: 'certificates.k8s.io',
        resource: 'certificatesigningrequests',
        verb: 'create',
        subresource,
        version: '*',
      },
    },
  }
  return (await client.create<SubjectAccessReview>(REVIEWS, review)).status?.allowed === true
}

async function sign(deps: CertificateDeps, csr: CertificateSigningRequest, request: Request | undefined): Promise<void> {
  const { authority, clock } = deps
  const plan = planSigning(csr, request)
  if (plan.kind === 'keep' || authority === undefined) return
  if (plan.kind === 'fail' || request === undefined) {
    const message = plan.kind === 'fail' ? plan.message : 'unable to parse the request'
    return write(deps, csr, 'status', { conditions: [{ type: 'Failed', status: 'True', reason: 'SignerValidationFailure', message }] })
  }
  const { signed: _, subject: asked, ...content } = request
  // The uid of a user is nothing that one can ask for.
  const { uid: __, ...subject } = asked
  const now = clock.now()
  const span = { notBefore: now - BACKDATE_MS, notAfter: now + plan.validMs }
  const certificate = issueCertificate(
    { ...content, subject, usages: plan.usages, keyUsages: plan.keyUsages, ...span },
    issuerFrom(authority.certificate, authority.key),
  )
  return write(deps, csr, 'status', { certificate: Buffer.from(certificate).toString('base64') })
}

interface Change extends CertificateSigningRequestStatus {
  /** Added to the existing ones; their times are now. */
  readonly conditions?: readonly CertificateSigningRequestCondition[]
}

async function write(
  { client, clock }: CertificateDeps,
  csr: CertificateSigningRequest,
  subresource: 'status' | 'approval',
  { conditions: added, ...change }: Change,
): Promise<void> {
  const now = timestamp(clock.now())
  const fresh = added?.map((c) => ({ ...c, lastUpdateTime: now, lastTransitionTime: now }))
  const conditions = fresh === undefined ? {} : { conditions: [...(csr.status?.conditions ?? []), ...fresh] }
  const status = { ...csr.status, ...change, ...conditions }
  const target = { ...targetOf(CERTIFICATE_SIGNING_REQUESTS, csr), subresource }
  await client.update<CertificateSigningRequest>(target, { ...csr, status }).catch(ignoring('NotFound'))
}
