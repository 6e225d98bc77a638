import { X509Certificate } from 'node:crypto'
import { child, type FieldError, invalid, tooLong } from '../../machinery/field-error.ts'
import { dns1123Subdomain } from '../../machinery/names.ts'
import { validateImmutable } from '../../machinery/validation/object-meta.ts'
import { type PemBlock, pemBlocks } from '../../machinery/x509/pem.ts'
import { define, NAME } from '../define.ts'
import type * as certificates from '../types/certificates-v1beta1.ts'
import type { UncheckedObject } from '../unchecked.ts'
import { validateSignerName } from './validation.ts'

type ClusterTrustBundle = UncheckedObject<certificates.ClusterTrustBundle>

const MOST_BYTES = 1024 * 1024
const SIGNER = child('spec', 'signerName')
const BUNDLE = child('spec', 'trustBundle')

/** `certificates.k8s.io/v1beta1`: off by default. A server has it with the feature gate ClusterTrustBundle. */
export const clusterTrustBundles = define<ClusterTrustBundle>({
  group: 'certificates.k8s.io',
  versions: ['v1beta1'],
  kind: 'ClusterTrustBundle',
  plural: 'clustertrustbundles',
  singular: 'clustertrustbundle',
  scope: 'Cluster',
  columns: [NAME, { name: 'SignerName', describes: 'spec.signerName', cell: (o) => o.spec?.signerName || '<none>' }],
  selectableFields: { 'spec.signerName': (o) => o.spec?.signerName ?? '' },
  rules: {
    validateName: (name, _generated, { spec }) => nameFaults(name, spec?.signerName ?? ''),
    validateCreate: (object) => [...signerFaults(object), ...bundleFaults(object)],
    validateUpdate: (object, old) => [
      ...signerFaults(object),
      // A bundle that does not change may have been accepted by older rules.
      ...(object.spec?.trustBundle === old.spec?.trustBundle ? [] : bundleFaults(object)),
      ...validateImmutable(object.spec?.signerName ?? '', old.spec?.signerName ?? '', SIGNER),
    ],
  },
})

/** The name begins with the signer's: `example.com/s` → `example.com:s:any-name`. */
function nameFaults(name: string, signer: string): string[] {
  if (signer === '')
    return name.includes(':') ? ['ClusterTrustBundle without signer name must not have ":" in its name'] : dns1123Subdomain(name)
  const prefix = `${signer.replaceAll('/', ':')}:`
  return name.startsWith(prefix)
    ? dns1123Subdomain(name.slice(prefix.length))
    : [`ClusterTrustBundle for signerName ${signer} must be named with prefix ${prefix}`]
}

const signerFaults = ({ spec }: ClusterTrustBundle): FieldError[] => (spec?.signerName ? validateSignerName(spec.signerName, SIGNER) : [])

function bundleFaults({ spec }: ClusterTrustBundle): FieldError[] {
  const text = spec?.trustBundle ?? ''
  if (Buffer.byteLength(text) > MOST_BYTES) return [tooLong(BUNDLE, MOST_BYTES)]
  const wrong = (why: string) => invalid(BUNDLE, '<value omitted>', why)
  const anchors = new Map<string, number[]>()
  const faults: FieldError[] = []
  for (const [i, block] of pemBlocks(text).entries()) {
    const anchor = readAnchor(block)
    if ('fault' in anchor) faults.push(wrong(`entry ${i} ${anchor.fault}`))
    else anchors.set(anchor.fingerprint, [...(anchors.get(anchor.fingerprint) ?? []), i])
  }
  if (faults.length > 0) return faults
  if (anchors.size === 0) return [wrong('at least one trust anchor must be provided')]
  return [...anchors.values()]
    .filter((indices) => indices.length > 1)
    .map((indices) => wrong(`duplicate trust anchor (indices [${indices.join(' ')}])`))
}

function readAnchor({ type, text, headers }: PemBlock): { readonly fault: string } | { readonly fingerprint: string } {
  if (type !== 'CERTIFICATE') return { fault: `has bad block type: ${type}` }
  if (headers !== '') return { fault: 'has PEM block headers' }
  try {
    const certificate = new X509Certificate(text)
    return certificate.ca ? { fingerprint: certificate.fingerprint256 } : { fault: 'does not have the CA bit set' }
  } catch {
    return { fault: 'does not parse as X.509' }
  }
}
