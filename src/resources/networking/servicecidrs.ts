import { child, type FieldError, index, invalid, required } from '../../machinery/field-error.ts'
import { isIpv4, networkOf, parseCidr, sameIp } from '../../machinery/ip-address.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { each, validateCidr } from '../checks.ts'
import { AGE, define, NAME } from '../define.ts'
import { keepMetadata } from '../status-meta.ts'

const CIDRS = child('spec', 'cidrs')

export const serviceCidrs = define({
  group: 'networking.k8s.io',
  kind: 'ServiceCIDR',
  plural: 'servicecidrs',
  singular: 'servicecidr',
  metadataChecks: 1,
  scope: 'Cluster',
  columns: [NAME, { name: 'CIDRs', describes: 'spec.cidrs', cell: (o) => (o.spec?.cidrs ?? []).join(',') }, AGE],
  rules: {
    prepareForCreate: (draft) => {
      draft.status = {}
    },
    validateCreate: (object) => validate(object.spec?.cidrs ?? [], 0),
    validateUpdate: validateChange,
  },
  subresources: {
    status: {
      kind: 'status',
      rules: {
        prepareForUpdate: keepMetadata,
        // Kubernetes looks at no condition here: its own `Ready` has no reason.
        validateUpdate: () => [],
      },
    },
  },
})

/** `skip`: how many leading ranges were accepted before and are not looked at again. */
function validate(cidrs: readonly string[], skip: number): FieldError[] {
  if (cidrs.length === 0) return [required(CIDRS, 'at least one CIDR required')]
  const faults: FieldError[] = []
  if (cidrs.length > 2) faults.push(invalid(CIDRS, cidrs, 'must only specify up to two values'))
  const malformed = each(cidrs.slice(skip), CIDRS, (text, _, i) => validateRange(text, index(CIDRS, i + skip)))
  const families = cidrs.map((text) => {
    const cidr = parseCidr(text)
    return cidr && isIpv4(cidr.address)
  })
  if (cidrs.length === 2 && malformed.length === 0 && families[0] === families[1])
    faults.push(invalid(CIDRS, cidrs, 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64'))
  return [...faults, ...malformed]
}

function validateRange(text: string, path: string): FieldError[] {
  const faults = validateCidr(text, path)
  const cidr = parseCidr(text)
  if (cidr && !sameIp(networkOf(cidr), cidr.address)) faults.push(invalid(path, text, 'must not have bits set beyond the prefix length'))
  return faults
}

/** A second range, of the other family, may be added later. */
function validateChange(object: KubeObject, old: KubeObject): FieldError[] {
  const now: string[] = object.spec?.cidrs ?? []
  const before: string[] = old.spec?.cidrs ?? []
  if (before.length === 1 && now.length === 2) {
    const faults = now[0] === before[0] ? [] : [invalid(index(CIDRS, 0), now[0], 'field is immutable')]
    return [...faults, ...validate(now, 1)]
  }
  return now.join() === before.join() ? [] : [invalid(CIDRS, now, 'field is immutable')]
}
