import { child, type FieldError, index, invalid, required } from '../../machinery/field-error.ts'
import { canonicalCidr, isIpv4, parseCidr } from '../../machinery/ip-address.ts'
import { givenEmpty } from '../../machinery/schema/given-empty.ts'
import { faultsOfEach } from '../../machinery/validation/faults-of-each.ts'
import { each, invalidEach } from '../checks.ts'
import { AGE, define, NAME } from '../define.ts'
import { metadataKept } from '../status-meta.ts'
import type * as networking from '../types/networking.ts'
import type { UncheckedObject } from '../unchecked.ts'

type ServiceCIDR = UncheckedObject<networking.ServiceCIDR>

const CIDRS = child('spec', 'cidrs')

export const serviceCidrs = define<ServiceCIDR>({
  group: 'networking.k8s.io',
  kind: 'ServiceCIDR',
  plural: 'servicecidrs',
  singular: 'servicecidr',
  metadataChecks: 'as-update',
  scope: 'Cluster',
  columns: [NAME, { name: 'CIDRs', describes: 'spec.cidrs', cell: (o) => (o.spec?.cidrs ?? []).join(',') }, AGE],
  rules: {
    prepareForCreate: (draft) => {
      draft.status = {}
    },
    validateCreate: (object) => validate(object.spec?.cidrs ?? []),
    validateUpdate: validateChange,
  },
  subresources: {
    status: {
      kind: 'status',
      rules: {
        ...metadataKept,
        // Kubernetes validates no conditions here: its own `Ready` has no reason.
        validateUpdate: () => [],
      },
    },
  },
})

function validate(cidrs: readonly string[]): FieldError[] {
  if (cidrs.length === 0) return [required(CIDRS, 'at least one CIDR required')]
  if (cidrs.length > 2) return [invalid(CIDRS, { CIDRs: cidrs }, 'may only hold up to 2 values')]
  const faults = each(cidrs, CIDRS, validateRange)
  const [first, second] = cidrs.map((text) => {
    const cidr = parseCidr(text)
    return cidr && isIpv4(cidr.address)
  })
  if (cidrs.length === 2 && first !== undefined && first === second)
    faults.push(invalid(CIDRS, cidrs, 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64'))
  return faults
}

const validateRange = (text: string, path: string): FieldError[] => invalidEach(path, text, canonicalCidr(text))

/** A second range, of the other family, may be added later. */
function validateChange(object: ServiceCIDR, old: ServiceCIDR): FieldError[] {
  const now: string[] = object.spec?.cidrs ?? []
  const before: string[] = old.spec?.cidrs ?? []
  const changed = (i: number) => (now[i] === before[i] ? [] : [invalid(index(CIDRS, i), now[i], 'field is immutable')])
  if (now.length === before.length) return faultsOfEach(now, (_, i) => changed(i))
  if (before.length === 1 && now.length === 2) return [...changed(0), ...validate(now)]
  return [invalid(CIDRS, object.spec?.cidrs ?? givenEmpty(object.spec, 'cidrs') ?? null, 'field is immutable')]
}
