import { X509Certificate } from 'node:crypto'
import type { KubeObject } from '../../machinery/object.ts'
import type { CertificateSigningRequest } from '../../machinery/x509/certificate-request.ts'
import { createdMs } from '../pods/pod-state.ts'

const CLIENT = 'kubernetes.io/kube-apiserver-client'
const KUBELET_CLIENT = 'kubernetes.io/kube-apiserver-client-kubelet'
const KUBELET_SERVING = 'kubernetes.io/kubelet-serving'
const LEGACY = 'kubernetes.io/legacy-unknown'
const SIGNERS: ReadonlySet<string> = new Set([CLIENT, KUBELET_CLIENT, KUBELET_SERVING, LEGACY])

const HOUR_MS = 3_600_000
const YEAR_MS = 365 * 24 * HOUR_MS
const MIN_MS = 600_000

interface Condition {
  readonly type: string
  readonly status: string
  readonly lastUpdateTime?: string
}

export const conditionMet = (csr: KubeObject, type: string): Condition | undefined =>
  csr.status?.conditions?.find((c: Condition) => c.type === type && c.status === 'True')

export type SigningPlan =
  | { readonly kind: 'keep' }
  | { readonly kind: 'fail'; readonly message: string }
  | { readonly kind: 'sign'; readonly usages: readonly ('server' | 'client')[]; readonly validMs: number }

/** Whether an approved request is to be signed, by the rules of the signer that it names. Pure. */
export function planSigning(csr: KubeObject, request: CertificateSigningRequest | undefined): SigningPlan {
  const signer = String(csr.spec?.signerName ?? '')
  if (
    !SIGNERS.has(signer) ||
    csr.status?.certificate ||
    !conditionMet(csr, 'Approved') ||
    conditionMet(csr, 'Denied') ||
    conditionMet(csr, 'Failed')
  )
    return { kind: 'keep' }
  if (request === undefined) return { kind: 'fail', message: 'unable to parse the request' }
  const usages: readonly string[] = csr.spec?.usages ?? []
  const fault = faultOf(signer, usages, request)
  if (fault !== undefined) return { kind: 'fail', message: fault }
  const asked = csr.spec?.expirationSeconds
  const validMs = typeof asked === 'number' ? Math.min(YEAR_MS, Math.max(MIN_MS, asked * 1000)) : YEAR_MS
  const granted = (['server', 'client'] as const).filter((u) => usages.includes(`${u} auth`))
  return { kind: 'sign', usages: granted, validMs }
}

function faultOf(signer: string, usages: readonly string[], request: CertificateSigningRequest): string | undefined {
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

function kubeletFault({ subject }: CertificateSigningRequest): string | undefined {
  if (subject.organizations.length !== 1 || subject.organizations[0] !== 'system:nodes') return 'subject organization is not system:nodes'
  return subject.commonName.startsWith('system:node:') ? undefined : 'subject common name does not begin with system:node:'
}

/** Whether the request is what a kubelet asks for to speak to the API server. */
export function isKubeletClient(usages: readonly string[], request: CertificateSigningRequest): boolean {
  const allowed = new Set(['digital signature', 'key encipherment', 'client auth'])
  const alternatives = request.dnsNames.length + request.ipAddresses.length + request.emailAddresses.length + request.uris.length
  return kubeletFault(request) === undefined && alternatives === 0 && usages.includes('client auth') && usages.every((u) => allowed.has(u))
}

/**
 * When the request has served its time: an hour after it was denied, failed or issued, or when its certificate is of no use any more; a day after it was approved, where no
 * signer has answered; a day after it was made, where nobody has said anything. Undefined: never. Pure.
 */
export function staleAtMs(csr: KubeObject): number | undefined {
  const certificate = Buffer.from(String(csr.status?.certificate ?? ''), 'base64').toString()
  const times = ((csr.status?.conditions ?? []) as Condition[]).flatMap(({ type, lastUpdateTime }) => {
    const at = Date.parse(lastUpdateTime ?? '')
    if (Number.isNaN(at)) return []
    if (type === 'Denied' || type === 'Failed') return [at + HOUR_MS]
    if (type !== 'Approved') return []
    return certificate === '' ? [at + 24 * HOUR_MS] : [at + HOUR_MS, expiryMs(certificate)]
  })
  if (times.length > 0) return Math.min(...times)
  return (csr.status?.conditions ?? []).length === 0 ? createdMs(csr) + 24 * HOUR_MS : undefined
}

/** What no certificate can be read from expires never. */
function expiryMs(pem: string): number {
  try {
    const ms = new X509Certificate(pem).validToDate.getTime()
    return Number.isNaN(ms) ? Number.POSITIVE_INFINITY : ms
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
