import { timestamp } from '../../base/clock.ts'
import type { FieldError } from '../../machinery/field-error.ts'
import { humanDuration } from '../../machinery/human-duration.ts'
import { cloneJson } from '../../machinery/object.ts'
import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { segmentName } from '../../machinery/validation/object-name.ts'
import { invalidEach } from '../checks.ts'
import { AGE, define, NAME } from '../define.ts'
import { type CertificateSigningRequest, type RequestCondition, validateRequest, validateRequestUpdate } from './validation.ts'

const certificateSigningRequests = define<CertificateSigningRequest>({
  group: 'certificates.k8s.io',
  kind: 'CertificateSigningRequest',
  plural: 'certificatesigningrequests',
  singular: 'certificatesigningrequest',
  shortNames: ['csr'],
  scope: 'Cluster',
  metadataChecks: 'as-update',
  columns: [
    NAME,
    AGE,
    { name: 'SignerName', describes: 'spec.signerName', cell: (o) => o.spec?.signerName || '<none>' },
    { name: 'Requestor', describes: 'spec.username', cell: (o) => o.spec?.username ?? '' },
    {
      name: 'RequestedDuration',
      describes: 'spec.expirationSeconds',
      cell: (o) => (o.spec?.expirationSeconds === undefined ? '<none>' : humanDuration(o.spec.expirationSeconds * 1000)),
    },
    { name: 'Condition', describes: 'status.conditions', cell: conditionText },
  ],
  selectableFields: { 'spec.signerName': (o) => o.spec?.signerName ?? '' },
  rules: {
    // Validated below: an invalid request has no fault about its name.
    validateName: () => [],
    prepareForCreate: (draft, { user }) => {
      const { username: _, uid: __, groups: ___, extra: ____, ...requested } = draft.spec ?? {}
      draft.spec = {
        ...requested,
        username: user.name,
        ...(user.uid && { uid: user.uid }),
        ...(user.groups.length > 0 && { groups: [...user.groups] }),
        ...(user.extra && Object.keys(user.extra).length > 0 && { extra: cloneJson(user.extra) }),
      }
      draft.status = {}
    },
    validateCreate: validateNamedRequest,
    prepareForUpdate: keepSpec,
    validateUpdate: (object, old) => validateRequestUpdate(object, old, {}),
    // No path can write the spec, so no manager owns it.
    resetFields: {
      '': [['spec'], ['status']],
      approval: [['spec'], ['status', 'certificate']],
      status: [['spec'], ['status', 'conditions']],
    },
  },
  subresources: {
    approval: {
      kind: 'part',
      verbs: ['get', 'patch', 'update'],
      rules: {
        prepareForUpdate: (draft, old, context) => {
          keepSpec(draft, old)
          draft.status ??= {}
          if (old.status?.certificate === undefined) delete draft.status.certificate
          else draft.status.certificate = old.status.certificate
          stampConditions(draft, old, context.now)
        },
        validateUpdate: (object, old) => validateRequestUpdate(object, old, { approval: true }),
      },
    },
    status: {
      kind: 'status',
      rules: {
        prepareForUpdate: (draft, old, context) => {
          keepSpec(draft, old)
          keepConditions(draft, old, 'Approved')
          keepConditions(draft, old, 'Denied')
          stampConditions(draft, old, context.now)
        },
        validateUpdate: (object, old) => validateRequestUpdate(object, old, { certificate: true }),
      },
    },
  },
})

function keepSpec(draft: CertificateSigningRequest, old: CertificateSigningRequest): void {
  if (old.spec === undefined) delete draft.spec
  else draft.spec = cloneJson(old.spec)
}

/** The conditions of a type stay as they are; where some are added or removed, validation refuses that. */
function keepConditions(draft: CertificateSigningRequest, old: CertificateSigningRequest, type: string): void {
  const stored = (old.status?.conditions ?? []).filter((c) => c.type === type)
  const given = draft.status?.conditions ?? []
  if (given.filter((c) => c.type === type).length !== stored.length) return
  for (const [i, condition] of given.entries()) if (condition.type === type) given[i] = cloneJson(stored.shift() ?? condition)
}

/** A condition whose status does not change keeps its transition time. */
function stampConditions(draft: CertificateSigningRequest, old: CertificateSigningRequest, now: number): void {
  const before = new Map<string, RequestCondition>()
  for (const condition of old.status?.conditions ?? []) {
    const about = typeAndStatus(condition)
    if (!before.has(about)) before.set(about, condition)
  }
  for (const condition of (draft.status?.conditions ?? []) as RequestCondition[]) {
    const known = before.get(typeAndStatus(condition))
    condition.lastTransitionTime ??= known?.lastTransitionTime ?? timestamp(now)
    condition.lastUpdateTime ??= timestamp(now)
  }
}

const typeAndStatus = ({ type, status }: RequestCondition): string => JSON.stringify([type, status])

function conditionText(object: CertificateSigningRequest): string {
  const types = new Set(((object.status?.conditions ?? []) as RequestCondition[]).map((c) => c.type))
  const parts = [types.has('Denied') ? 'Denied' : types.has('Approved') ? 'Approved' : 'Pending']
  if (types.has('Failed')) parts.push('Failed')
  if (object.status?.certificate) parts.push('Issued')
  return parts.join(',')
}

export const certificatesResources: readonly ResourceDefinition[] = [certificateSigningRequests]

function validateNamedRequest(object: CertificateSigningRequest): FieldError[] {
  const faults = validateRequest(object)
  const { name = '' } = object.metadata
  return faults.length > 0 ? faults : invalidEach('metadata.name', name, segmentName(name, false))
}
