import { child, type FieldError, required } from '../../machinery/field-error.ts'
import { canonicalIp } from '../../machinery/ip-address.ts'
import { dns1123Subdomain, pathSegmentName } from '../../machinery/names.ts'
import { validateImmutable } from '../../machinery/validation/object-meta.ts'
import { invalidEach } from '../checks.ts'
import { AGE, define, NAME } from '../define.ts'
import type * as networking from '../types/networking.ts'
import type { Unchecked, UncheckedObject } from '../unchecked.ts'

type IPAddress = UncheckedObject<networking.IPAddress>
type ParentReference = Unchecked<networking.ParentReference>

const PARENT = child('spec', 'parentRef')

export const ipAddresses = define<IPAddress>({
  group: 'networking.k8s.io',
  kind: 'IPAddress',
  plural: 'ipaddresses',
  singular: 'ipaddress',
  shortNames: ['ip'],
  scope: 'Cluster',
  columns: [
    NAME,
    { name: 'ParentRef', describes: 'spec.parentRef', cell: (o) => (o.spec?.parentRef ? parentText(o.spec.parentRef) : '<none>') },
    { ...AGE, declared: false },
  ],
  selectableFields: {},
  rules: {
    allowUnconditionalUpdate: true,
    validateName: addressName,
    generatesWithoutSuffix: true,
    validateCreate: validate,
    validateUpdate: (object, old) => validateImmutable(parent(object), parent(old), PARENT),
  },
})

const parent = (object: IPAddress) => (object.spec?.parentRef ? goParent(object.spec.parentRef) : null)
const goParent = (ref: ParentReference) => ({
  Group: ref.group ?? '',
  Resource: ref.resource ?? '',
  Namespace: ref.namespace ?? '',
  Name: ref.name ?? '',
})

function parentText(ref: ParentReference): string {
  const resource = (ref.group ? `${ref.resource ?? ''}.${ref.group}` : (ref.resource ?? '')).toLowerCase()
  return ref.namespace ? `${resource}/${ref.namespace}/${ref.name ?? ''}` : `${resource}/${ref.name ?? ''}`
}

/** The name is the address in canonical form. */
function addressName(name: string): string[] {
  return canonicalIp(name)
}

function validate(object: IPAddress): FieldError[] {
  const ref: ParentReference | undefined = object.spec?.parentRef
  if (!ref) return [required(PARENT)]
  const faults: FieldError[] = []
  if (ref.group) faults.push(...invalidEach(child(PARENT, 'group'), ref.group, dns1123Subdomain(ref.group)))
  for (const field of ['resource', 'name'] as const) {
    const value = ref[field] ?? ''
    if (value === '') faults.push(required(child(PARENT, field)))
    else faults.push(...invalidEach(child(PARENT, field), value, pathSegmentName(value)))
  }
  if (ref.namespace) faults.push(...invalidEach(child(PARENT, 'namespace'), ref.namespace, pathSegmentName(ref.namespace)))
  return faults
}
