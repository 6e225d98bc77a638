import { X509Certificate } from 'node:crypto'
import type { KeyUsage } from '../../machinery/x509/certificate.ts'
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
  | {
      readonly kind: 'sign'
      readonly usages: readonly ('server' | 'client')[]
      readonly keyUsages: readonly KeyUsage[]
      readonly validMs: number
    }

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
  if (request === undefined || csr.spec.signerName !== KUBELET_CLIENT) return []
  if (kubeletClientFault(csr.spec.usages ?? [], request) !== undefined) return []
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
  const keyUsages = (['digital signature', 'key encipherment'] as const).filter((u) => usages.includes(u))
  return { kind: 'sign', usages: granted, keyUsages, validMs }
}

function faultOf(signer: string, usages: readonly string[], request: Request): string | undefined {
  if (signer === CLIENT) {
    const allowed = new Set(['digital signature', 'key encipherment', 'client auth'])
    const extra = usages.find((u) => !allowed.has(u))
    if (extra !== undefined) return `invalid usage for client certificate: ${extra}`
    return usages.includes('client auth') ? undefined : 'missing required usage for client certificate: client auth'
  }
  if (signer === KUBELET_CLIENT) return kubeletClientFault(usages, request)
  return signer === KUBELET_SERVING ? kubeletServingFault(usages, request) : undefined
}

const isOfNodes = ({ subject: { organizations } }: Request) => organizations.length === 1 && organizations[0] === 'system:nodes'
const NOT_OF_NODES = 'subject organization is not system:nodes'
const isNamedAsNode = ({ subject }: Request) => subject.commonName.startsWith('system:node:')
const NOT_NAMED_AS_NODE = 'subject common name does not begin with system:node:'

/** What is wrong with a request of a kubelet for a certificate with which it calls the API server. */
function kubeletClientFault(usages: readonly string[], request: Request): string | undefined {
  if (!isOfNodes(request)) return NOT_OF_NODES
  if (request.dnsNames.length > 0) return 'DNS subjectAltNames are not allowed'
  if (request.emailAddresses.length > 0) return 'Email subjectAltNames are not allowed'
  if (request.ipAddresses.length > 0) return 'IP subjectAltNames are not allowed'
  if (request.uris.length > 0) return 'URI subjectAltNames are not allowed'
  return isNamedAsNode(request) ? usagesFault(usages, 'client auth') : NOT_NAMED_AS_NODE
}

/** What is wrong with a request of a kubelet for the certificate of its own API. */
function kubeletServingFault(usages: readonly string[], request: Request): string | undefined {
  if (!isOfNodes(request)) return NOT_OF_NODES
  if (request.dnsNames.length + request.ipAddresses.length === 0) return 'DNS or IP subjectAltName is required'
  if (request.emailAddresses.length > 0) return 'Email subjectAltNames are not allowed'
  if (request.uris.length > 0) return 'URI subjectAltNames are not allowed'
  return usagesFault(usages, 'server auth') ?? (isNamedAsNode(request) ? undefined : NOT_NAMED_AS_NODE)
}

/** Exactly these usages are signed; a key that is not of RSA has no use for `key encipherment`. */
function usagesFault(usages: readonly string[], auth: 'client auth' | 'server auth'): string | undefined {
  const all = ['digital signature', 'key encipherment', auth]
  const found = new Set(usages).add('key encipherment')
  return found.symmetricDifference(new Set(all)).size === 0 ? undefined : `usages did not match [${all.sort().join(' ')}]`
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
