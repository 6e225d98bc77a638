import { child, type FieldError, forbidden, index, invalid, notSupportedText, required } from '../../../machinery/field-error.ts'
import { dns1123Subdomain } from '../../../machinery/names.ts'
import { faultsOfEach } from '../../../machinery/validation/faults-of-each.ts'
import { validateLabelSelector } from '../../../machinery/validation/label-selector.ts'
import { validateLabelName } from '../../../machinery/validation/object-meta.ts'
import type { PodCertificate, ProjectedSource, Volume } from '../types.ts'
import { validateLocalNonReservedPath } from './validate-paths.ts'
import { validateDownwardFiles, validateKeyToPath, validateMode } from './validate-volume-files.ts'

const shortestTokenSeconds = 600
const longestTokenSeconds = 2 ** 32
const KEY_TYPES = ['ECDSAP256', 'ECDSAP384', 'ECDSAP521', 'ED25519', 'RSA3072', 'RSA4096']

/** Validates a projected volume, whose files must not collide. */
export function validateProjected(projected: NonNullable<Volume['projected']>, path: string): FieldError[] {
  const taken = new Set<string>()
  const faults = validateMode(projected.defaultMode, child(path, 'defaultMode'))
  return [
    ...faults,
    ...faultsOfEach(projected.sources, (source, i) => validateProjectedSource(source, index(child(path, 'sources'), i), path, taken)),
  ]
}

function validateProjectedSource(source: ProjectedSource, path: string, volumePath: string, taken: Set<string>): FieldError[] {
  const faults: FieldError[] = []
  let sources = 0
  const one = (field: keyof ProjectedSource, check: (at: string) => FieldError[]) => {
    if (source[field] === undefined) return
    faults.push(...check(child(path, field)))
    sources++
  }
  const claim = (file: string | undefined, at: string, shown = file): FieldError[] => {
    if (!file) return []
    if (taken.has(file)) return [invalid(at, shown, 'conflicting duplicate paths')]
    taken.add(file)
    return []
  }
  for (const field of ['secret', 'configMap'] as const)
    one(field, (at) => [
      ...(source[field]?.name ? [] : [required(child(at, 'name'))]),
      ...faultsOfEach(source[field]?.items, (item, i) => [
        ...validateKeyToPath(item, index(child(at, 'items'), i)),
        ...claim(item.path, volumePath, source[field]?.name ?? ''),
      ]),
    ])
  one('downwardAPI', (at) => [
    ...validateDownwardFiles(source.downwardAPI?.items, at),
    ...faultsOfEach(source.downwardAPI?.items, (item) => claim(item.path, volumePath)),
  ])
  one('serviceAccountToken', (at) => validateToken(source.serviceAccountToken ?? {}, at, volumePath))
  one('clusterTrustBundle', (at) => validateTrustBundle(source.clusterTrustBundle ?? {}, at, claim))
  one('podCertificate', (at) => validatePodCertificate(source.podCertificate ?? {}, at, claim))
  return sources > 1 ? [...faults, forbidden(path, 'may not specify more than 1 volume type per source')] : faults
}

type Claim = (file: string | undefined, at: string) => FieldError[]

function validateToken(token: NonNullable<ProjectedSource['serviceAccountToken']>, path: string, volumePath: string): FieldError[] {
  const faults: FieldError[] = []
  const seconds = token.expirationSeconds ?? 0
  if (seconds < shortestTokenSeconds)
    faults.push(invalid(child(path, 'expirationSeconds'), seconds, 'may not specify a duration less than 10 minutes'))
  else if (seconds > longestTokenSeconds)
    faults.push(invalid(child(path, 'expirationSeconds'), seconds, 'may not specify a duration larger than 2^32 seconds'))
  // Kubernetes names the path of the volume here, not of the source.
  if (!token.path) return [...faults, required(child(volumePath, 'path'))]
  return [...faults, ...validateLocalNonReservedPath(token.path, child(volumePath, 'path'))]
}

function validateTrustBundle(bundle: NonNullable<ProjectedSource['clusterTrustBundle']>, path: string, claim: Claim): FieldError[] {
  const faults: FieldError[] = []
  const name = bundle.name !== undefined
  const signer = bundle.signerName !== undefined
  if (name && signer) faults.push(invalid(path, null, 'only one of name and signerName may be used'))
  else if (name) {
    if (bundle.name === '') faults.push(required(child(path, 'name'), 'must be a valid object name'))
    else
      for (const text of dns1123Subdomain(bundle.name ?? ''))
        faults.push(invalid(child(path, 'name'), bundle.name, `not a valid clustertrustbundlename: ${text}`))
    if (bundle.labelSelector)
      faults.push(invalid(child(path, 'labelSelector'), bundle.labelSelector, 'labelSelector must be unset if name is specified'))
  } else if (signer) {
    if (bundle.signerName === '') faults.push(required(child(path, 'signerName'), 'must be a valid signer name'))
    faults.push(...validateLabelSelector(bundle.labelSelector, child(path, 'labelSelector')))
  } else faults.push(required(path, 'either name or signerName must be specified'))
  if (!bundle.path) faults.push(required(child(path, 'path')))
  return [...faults, ...validateLocalNonReservedPath(bundle.path ?? '', child(path, 'path')), ...claim(bundle.path, child(path, 'path'))]
}

function validatePodCertificate(certificate: PodCertificate, path: string, claim: Claim): FieldError[] {
  const faults: FieldError[] = []
  if (!certificate.signerName) faults.push(required(child(path, 'signerName')))
  else if (!/^[^/]+\/.+$/.test(certificate.signerName))
    faults.push(
      invalid(
        child(path, 'signerName'),
        certificate.signerName,
        'must be a fully qualified domain and path of the form "example.com/signer-name"',
      ),
    )
  if (!KEY_TYPES.includes(certificate.keyType ?? ''))
    faults.push(notSupportedText(child(path, 'keyType'), certificate.keyType ?? '', KEY_TYPES))
  const { credentialBundlePath: bundle, keyPath: key, certificateChainPath: chain, maxExpirationSeconds: seconds } = certificate
  if (!bundle && !key && !chain)
    faults.push(required(path, 'specify at least one of credentialBundlePath, keyPath, and certificateChainPath'))
  for (const field of ['credentialBundlePath', 'keyPath', 'certificateChainPath'] as const) {
    const file = certificate[field]
    if (file) faults.push(...validateLocalNonReservedPath(file, child(path, field)), ...claim(file, child(path, field)))
  }
  if (seconds !== undefined && seconds < 3600)
    faults.push(invalid(child(path, 'maxExpirationSeconds'), seconds, 'if provided, maxExpirationSeconds must be >= 3600'))
  else if (seconds !== undefined && seconds > 7_862_400)
    faults.push(invalid(child(path, 'maxExpirationSeconds'), seconds, 'if provided, maxExpirationSeconds must be <= 7862400'))
  faults.push(
    ...faultsOfEach(Object.keys(certificate.userAnnotations ?? {}), (name) => validateLabelName(name, child(path, 'userAnnotations'))),
  )
  return faults
}
