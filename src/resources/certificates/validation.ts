import { X509Certificate } from 'node:crypto'
import {
  child,
  duplicateNamed,
  type FieldError,
  forbidden,
  goQuote,
  index,
  invalid,
  notSupported,
  required,
  tooLong,
} from '../../machinery/field-error.ts'
import { dns1123Label, dns1123Subdomain } from '../../machinery/names.ts'
import { faultsOfEach } from '../../machinery/validation/faults-of-each.ts'
import { readCertificateRequest } from '../../machinery/x509/certificate-request.ts'
import { pemBlocks } from '../../machinery/x509/pem.ts'
import { each, repeats } from '../checks.ts'
import { validateEnum } from '../enumerations.ts'
import type * as certificates from '../types/certificates.ts'
import type { Unchecked, UncheckedObject } from '../unchecked.ts'

const MIN_SECONDS = 600
/** Conditions that cannot be removed. */
const DECISIONS = ['Approved', 'Denied', 'Failed']

export type CertificateSigningRequest = UncheckedObject<certificates.CertificateSigningRequest>
export type RequestCondition = Unchecked<certificates.CertificateSigningRequestCondition>

/** `old`: the certificate that is stored already. */
export function validateRequest(object: CertificateSigningRequest, old = ''): FieldError[] {
  const spec = object.spec ?? {}
  const faults = validatePem(spec.request)
  const usages = spec.usages ?? []
  const path = child('spec', 'usages')
  if (usages.length === 0) faults.push(required(path))
  const isRepeated = repeats()
  faults.push(
    ...faultsOfEach(usages, (usage, i) => validateEnum(usage, 'certificates_v1.KeyUsage', index(path, i))),
    ...faultsOfEach(usages, (usage, i) => (isRepeated(usage) ? [duplicateNamed(index(path, i), usage)] : [])),
  )
  if (spec.signerName === 'kubernetes.io/legacy-unknown')
    faults.push(invalid(child('spec', 'signerName'), spec.signerName, 'the legacy signerName is not allowed via this API version'))
  else faults.push(...validateSignerName(spec.signerName ?? '', child('spec', 'signerName')))
  const seconds = spec.expirationSeconds
  if (seconds !== undefined && seconds < MIN_SECONDS)
    faults.push(
      invalid(child('spec', 'expirationSeconds'), seconds, `may not specify a duration less than ${MIN_SECONDS} seconds (10 minutes)`),
    )
  return [...faults, ...validateConditions(object.status?.conditions ?? []), ...validateCertificate(object.status?.certificate ?? '', old)]
}

function validatePem(request: string | null | undefined): FieldError[] {
  const path = child('spec', 'request')
  const text = Buffer.from(request ?? '', 'base64').toString('latin1')
  const type = pemBlocks(text)[0]?.type
  if (type !== 'CERTIFICATE REQUEST') return [invalid(path, request ?? null, 'PEM block type must be CERTIFICATE REQUEST')]
  const read = readCertificateRequest(text)
  if (read === undefined) return [invalid(path, request ?? null, 'asn1: structure error: malformed certificate request')]
  return read.signed ? [] : [invalid(path, request ?? null, WRONG_SIGNATURE[read.publicKey.asymmetricKeyType ?? ''] ?? UNKNOWN_ALGORITHM)]
}

const WRONG_SIGNATURE: Readonly<Record<string, string>> = {
  rsa: 'crypto/rsa: verification error',
  ec: 'x509: ECDSA verification failure',
  ed25519: 'x509: Ed25519 verification failure',
}
const UNKNOWN_ALGORITHM = 'x509: cannot verify signature: algorithm unimplemented'

const MAX_SIGNER = 571

/** `example.com/name`: a domain and a path, both of DNS names. */
export function validateSignerName(name: string, path: string): FieldError[] {
  if (name === '') return [required(path)]
  const [domain, signer, ...rest] = name.split('/')
  if (domain === undefined || signer === undefined || rest.length > 0)
    return [invalid(path, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'")]
  const faults: FieldError[] = []
  if (domain.length > 253) faults.push(tooLong(path, 253))
  const labels = domain.split('.')
  // Only the first invalid label is reported.
  const broken = labels.find((label) => dns1123Label(label).length > 0)
  for (const text of broken === undefined ? [] : dns1123Label(broken))
    faults.push(invalid(path, domain, `validating label ${goQuote(broken ?? '')}: ${text}`))
  if (labels.length < 2) faults.push(invalid(path, domain, 'should be a domain with at least two segments separated by dots'))
  for (const label of signer.split('.'))
    for (const text of dns1123Subdomain(label)) faults.push(invalid(path, signer, `validating label ${goQuote(label)}: ${text}`))
  if (name.length > MAX_SIGNER) faults.push(tooLong(path, MAX_SIGNER))
  return faults
}

function validateConditions(conditions: readonly RequestCondition[]): FieldError[] {
  const path = child('status', 'conditions')
  const seen = new Set<string>()
  return each(conditions, path, (condition, at) => {
    const found: FieldError[] = []
    const type = condition.type ?? ''
    if (type === '') found.push(required(child(at, 'type')))
    const allowed = DECISIONS.includes(type) ? ['True'] : ['False', 'True', 'Unknown']
    if (!condition.status) found.push(required(child(at, 'status')))
    else if (!allowed.includes(condition.status)) found.push(notSupported(child(at, 'status'), condition.status, allowed))
    if ((type === 'Approved' && seen.has('Denied')) || (type === 'Denied' && seen.has('Approved')))
      found.push(invalid(path, type, 'Approved and Denied conditions are mutually exclusive'))
    if (seen.has(type)) found.push(duplicateNamed(child(at, 'type'), type))
    seen.add(type)
    return found
  })
}

function validateCertificate(now: string, old: string): FieldError[] {
  if (now === '' || now === old) return []
  const fault = certificateFault(Buffer.from(now, 'base64').toString('latin1'))
  return fault === undefined ? [] : [invalid(child('status', 'certificate'), '<certificate data>', fault)]
}

/** The fields that each subresource may change. */
export interface Allowed {
  readonly approval?: boolean
  readonly certificate?: boolean
}

export function validateRequestUpdate(object: CertificateSigningRequest, old: CertificateSigningRequest, allowed: Allowed): FieldError[] {
  const stored = old.status?.certificate ?? ''
  const faults = validateRequest(object, stored)
  const path = child('status', 'conditions')
  const count = (o: CertificateSigningRequest, type: string) => (o.status?.conditions ?? []).filter((c) => c.type === type).length
  for (const type of DECISIONS)
    if (count(object, type) < count(old, type)) faults.push(forbidden(path, `updates may not remove a condition of type ${goQuote(type)}`))
  if (!allowed.approval)
    for (const type of ['Approved', 'Denied'])
      if (count(object, type) > count(old, type)) faults.push(forbidden(path, `updates may not add a condition of type ${goQuote(type)}`))
  if ((object.status?.certificate ?? '') !== stored) {
    const certificate = child('status', 'certificate')
    if (!allowed.certificate) faults.push(forbidden(certificate, 'updates may not set certificate content'))
    else if (stored !== '') faults.push(forbidden(certificate, 'updates may not modify existing certificate content'))
  }
  return faults
}

function certificateFault(text: string): string | undefined {
  const blocks = pemBlocks(text)
  if (blocks.length === 0) return 'must contain at least one CERTIFICATE PEM block'
  for (const { type, text: block, headers, body } of blocks) {
    if (type !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found ${goQuote(type)}`
    if (headers !== '') return 'no PEM block headers are permitted'
    if (body.trim() === '') return 'found CERTIFICATE PEM block containing 0 certificates'
    try {
      new X509Certificate(block)
    } catch {
      return 'x509: malformed certificate'
    }
  }
  return undefined
}
