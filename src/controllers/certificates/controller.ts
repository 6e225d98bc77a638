import { timestamp } from '../../base/clock.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { issueCertificate, issuerFrom } from '../../machinery/x509/certificate.ts'
import { type CertificateSigningRequest, readCertificateRequest } from '../../machinery/x509/certificate-request.ts'
import { CERTIFICATE_SIGNING_REQUESTS } from '../../sdk/client/refs.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { queueController } from '../frame/queue-controller.ts'
import { conditionMet, isKubeletClient, planSigning, staleAtMs } from './plan.ts'

const NAME = 'certificate-controller'
const REVIEWS = { group: 'authorization.k8s.io', version: 'v1', resource: 'subjectaccessreviews' }
/** Certificates are valid from a little before now: clocks differ. */
const BACKDATE_MS = 300_000

/** Approves what kubelets may ask for, signs what is approved, and clears away old requests. */
export function createCertificateController(deps: ControllerDeps): Controller {
  const { client, clock, informers, log, authority } = deps
  const queue = new WorkQueue({ clock })
  const requests = informers.of(CERTIFICATE_SIGNING_REQUESTS)
  const consider = (csr: KubeObject) => queue.add(csr.metadata.name ?? '')
  requests.addHandler({ added: consider, updated: consider })

  async function reconcile(name: string): Promise<{ requeueAfterMs: number } | undefined> {
    const csr = requests.get(name)
    if (csr === undefined) return undefined
    const stale = staleAtMs(csr)
    if (stale !== undefined && stale <= clock.now()) {
      await client.delete({ ...CERTIFICATE_SIGNING_REQUESTS, name }).catch((error) => {
        if (!isStatus(error, 'NotFound')) throw error
      })
      return undefined
    }
    const request = readCertificateRequest(Buffer.from(String(csr.spec?.request ?? ''), 'base64').toString())
    if (request !== undefined && !conditionMet(csr, 'Approved') && !conditionMet(csr, 'Denied')) await approve(csr, request)
    await sign(csr, request)
    return stale === undefined ? undefined : { requeueAfterMs: stale - clock.now() }
  }

  /** A kubelet may renew its own certificate, and a bootstrapping one may get its first, if they have that right. */
  async function approve(csr: KubeObject, request: CertificateSigningRequest): Promise<void> {
    if (csr.spec?.signerName !== 'kubernetes.io/kube-apiserver-client-kubelet' || !isKubeletClient(csr.spec?.usages ?? [], request)) return
    const own = csr.spec?.username === request.subject.commonName
    const kinds = [...(own ? [['selfnodeclient', 'self kubelet client'] as const] : []), ['nodeclient', 'kubelet client'] as const]
    for (const [subresource, what] of kinds) {
      if (!(await mayAsk(csr, subresource))) continue
      const now = timestamp(clock.now())
      const message = `Auto approving ${what} certificate after SubjectAccessReview.`
      const approved = { type: 'Approved', status: 'True', reason: 'AutoApproved', message, lastUpdateTime: now, lastTransitionTime: now }
      await write(csr, 'approval', { ...csr.status, conditions: [...(csr.status?.conditions ?? []), approved] })
      return
    }
  }

  async function mayAsk(csr: KubeObject, subresource: string): Promise<boolean> {
    const { username: user = '', uid, groups, extra } = csr.spec ?? {}
    const resourceAttributes = {
      group: 'certificates.k8s.io',
      resource: 'certificatesigningrequests',
      verb: 'create',
      subresource,
      version: '*',
    }
    const spec = { user, ...(uid ? { uid } : {}), ...(groups ? { groups } : {}), ...(extra ? { extra } : {}), resourceAttributes }
    const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', metadata: {}, spec }
    return (await client.create<KubeObject>(REVIEWS, review)).status?.allowed === true
  }

  async function sign(csr: KubeObject, request: CertificateSigningRequest | undefined): Promise<void> {
    const plan = planSigning(csr, request)
    if (plan.kind === 'keep' || authority === undefined) return
    const now = clock.now()
    if (plan.kind === 'fail' || request === undefined) {
      const message = plan.kind === 'fail' ? plan.message : 'unable to parse the request'
      const at = timestamp(now)
      const failed = {
        type: 'Failed',
        status: 'True',
        reason: 'SignerValidationFailure',
        message,
        lastUpdateTime: at,
        lastTransitionTime: at,
      }
      return write(csr, 'status', { ...csr.status, conditions: [...(csr.status?.conditions ?? []), failed] })
    }
    const { subject, publicKey, dnsNames, ipAddresses } = request
    const span = { notBefore: now - BACKDATE_MS, notAfter: now + plan.validMs }
    const certificate = issueCertificate(
      { subject, publicKey, dnsNames, ipAddresses, usages: plan.usages, ...span },
      issuerFrom(authority.certificate, authority.key),
    )
    return write(csr, 'status', { ...csr.status, certificate: Buffer.from(certificate).toString('base64') })
  }

  async function write(csr: KubeObject, subresource: 'status' | 'approval', status: KubeObject['status']): Promise<void> {
    const name = csr.metadata.name ?? ''
    await client.update({ ...CERTIFICATE_SIGNING_REQUESTS, name, subresource }, { ...csr, status }).catch((error) => {
      if (!isStatus(error, 'NotFound')) throw error
    })
  }

  return queueController({ name: NAME, queue, copies: [requests], reconcile, log })
}
