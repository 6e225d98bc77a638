import { X509Certificate } from 'node:crypto'
import type { CertificateSigningRequest as Request } from '../../machinery/x509/certificate-request.ts'
import type { CertificateSigningRequest } from '../../resources/types/certificates.ts'
import { conditionMet, createdMs } from '../pods/pod-state.ts'

const CLIENT = 'kubernetes.io/kube-apiserver-client'
const KUBELET_CLIENT = 'kubernetes.io/kube-apiserver-client-kubelet'
const KUBELET_SERVING = 'kubernetes.io/kubelet-serving'
const LEGACY = 'kubernetes.io/legacy-unknown'
const SIGNERS: ReadonlySet<string> = new Set([CLIENT, KUBELET_CLIENT, KUBELET_SERVING, LEGACY])

const HOUR_MS = 3_600_000
const YEAR_MS = 365 * 24 * HOUR_MS
const MIN_MS = 600_000

export type SigningPlan =
  | { readonly kind: 'keep' }
  | { readonly kind: 'fail'; readonly message: string }
  | { readonly kind: 'sign'; readonly usages: readonly ('server' | 'client')[]; readonly validMs: number }

/** A right that lets a kubelet have its certificate approved. */
export interface Approval {
  readonly subresource: 'selfnodeclient' | 'nodeclient'
  readonly what: string
}

/**
 * The rights of which one suffices for approval: a kubelet may renew its own certificate, and a bootstrapping one may get its first. Pure.
 */
export function planApproval(csr: CertificateSigningRequest, request: Request | undefined): readonly Approval[] {
  if (conditionMet(csr, 'Approved') !== undefined || conditionMet(csr, 'Denied') !== undefined) return []
  if (request === undefined || csr.spec.signerName !== KUBELET_CLIENT || !isKubeletClient(csr.spec.usages ?? [], request)) return []
  const own = csr.spec.username === request.subject.commonName
  return [
    ...(own ? [{ subresource: 'selfnodeclient', what: 'self kubelet client' } as const] : []),
    { subresource: 'nodeclient', what: 'kubelet client' },
  ]
}

/** Whether an approved request is signed, by the rules of the signer that it names. Pure. */
export function planSigning(csr: CertificateSigningRequest, request: Request | undefined): SigningPlan {
  const { signerName: signer, usages = [] } = csr.spec
  if (
    !SIGNERS.has(signer) ||
    csr.status?.certificate ||
    !conditionMet(csr, 'Approved') ||
    conditionMet(csr, 'Denied') ||
    conditionMet(csr, 'Failed')
  )
    return { kind: 'keep' }
  if (request === undefined) return { kind: 'fail', message: 'unable to parse the request' }
  const fault = faultOf(signer, usages, request)
  if (fault !== undefined) return { kind: 'fail', message: fault }
  const requested = csr.spec.expirationSeconds
  const validMs = requested !== undefined ? Math.min(YEAR_MS, Math.max(MIN_MS, requested * 1000)) : YEAR_MS
  const granted = (['server', 'client'] as const).filter((u) => usages.includes(`${u} auth`))
  return { kind: 'sign', usages: granted, validMs }
}

function faultOf(signer: string, usages: readonly string[], request: Request): string | undefined {
  if (signer === CLIENT) {
    const allowed = new Set(['digital signature', 'key encipherment', 'client auth'])
    const extra = usages.find((u) => !allowed.has(u))
    if (extra !== undefined) return `invalid usage for client certificate: ${extra}`
    return usages.includes('client auth') ? undefined : 'missing required usage for client certificate: client auth'
  }
  if (signer === KUBELET_CLIENT)
    return (
      kubeletFault(request) ??
      (isKubeletClient(usages, request) ? undefined : 'usages did not match [client auth digital signature key encipherment]')
    )
  if (signer === KUBELET_SERVING) {
    if (!usages.includes('server auth')) return 'usages did not match [key encipherment digital signature server auth]'
    return (
      kubeletFault(request) ??
      (request.dnsNames.length + request.ipAddresses.length === 0 ? 'DNS or IP subjectAltName is required' : undefined)
    )
  }
  return undefined
}

function kubeletFault({ subject }: Request): string | undefined {
  if (subject.organizations.length !== 1 || subject.organizations[0] !== 'system:nodes') return 'subject organization is not system:nodes'
  return subject.commonName.startsWith('system:node:') ? undefined : 'subject common name does not begin with system:node:'
}

/** Whether it is a request of a kubelet for a certificate with which it calls the API server. */
function isKubeletClient(usages: readonly string[], request: Request): boolean {
  const allowed = new Set(['digital signature', 'key encipherment', 'client auth'])
  const alternatives = request.dnsNames.length + request.ipAddresses.length + request.emailAddresses.length + request.uris.length
  return kubeletFault(request) === undefined && alternatives === 0 && usages.includes('client auth') && usages.every((u) => allowed.has(u))
}

/**
 * When the request is deleted, as upstream: an hour after it was denied, failed or issued, or when its certificate expires; a day after it
 * was approved without being signed; a day after it was created without any decision. Undefined: never. Pure.
 */
export function staleAtMs(csr: CertificateSigningRequest): number | undefined {
  const certificate = Buffer.from(csr.status?.certificate ?? '', 'base64').toString()
  const times = (csr.status?.conditions ?? []).flatMap(({ type, lastUpdateTime }) => {
    const at = Date.parse(lastUpdateTime ?? '')
    if (Number.isNaN(at)) return []
    if (type === 'Denied' || type === 'Failed') return [at + HOUR_MS]
    if (type !== 'Approved') return []
    return certificate === '' ? [at + 24 * HOUR_MS] : [at + HOUR_MS, expiryMs(certificate)]
  })
  if (times.length > 0) return Math.min(...times)
  return (csr.status?.conditions ?? []).length === 0 ? createdMs(csr) + 24 * HOUR_MS : undefined
}

/** A text that is no certificate never expires. */
function expiryMs(pem: string): number {
  try {
    const ms = new X509Certificate(pem).validToDate.getTime()
    return Number.isNaN(ms) ? Number.POSITIVE_INFINITY : ms
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
