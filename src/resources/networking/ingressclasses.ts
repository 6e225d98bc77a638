import { child, type FieldError, forbidden, notSupportedText, required, tooLong } from '../../machinery/field-error.ts'
import { dns1123Label, dns1123Subdomain, pathSegmentName } from '../../machinery/names.ts'
import { validateDomainPrefixedPath } from '../../machinery/validation/domain-name.ts'
import { validateImmutable } from '../../machinery/validation/object-meta.ts'
import { invalidEach } from '../checks.ts'
import { AGE, define, NAME } from '../define.ts'
import type * as networking from '../types/networking.ts'
import type { Unchecked, UncheckedObject } from '../unchecked.ts'

type IngressClass = UncheckedObject<networking.IngressClass>
type Parameters = Unchecked<networking.IngressClassParametersReference>

const MAX_CONTROLLER_BYTES = 250
const CONTROLLER = child('spec', 'controller')
const PARAMETERS = child('spec', 'parameters')

export const ingressClasses = define<IngressClass>({
  group: 'networking.k8s.io',
  kind: 'IngressClass',
  plural: 'ingressclasses',
  singular: 'ingressclass',
  scope: 'Cluster',
  columns: [
    NAME,
    { name: 'Controller', description: 'The controller that serves this class', cell: (o) => o.spec?.controller ?? '' },
    { name: 'Parameters', description: 'The object with more parameters', cell: (o) => parametersText(o.spec?.parameters) },
    AGE,
  ],
  rules: {
    generation: 'spec',
    defaults: (draft) => {
      if (draft.spec?.parameters) draft.spec.parameters.scope ??= 'Cluster'
    },
    validateCreate: validate,
    validateUpdate: (object, old) => [
      ...validateImmutable(object.spec?.controller ?? '', old.spec?.controller ?? '', CONTROLLER),
      ...validate(object),
    ],
  },
})

function parametersText(p: Parameters | undefined): string {
  if (!p) return '<none>'
  return `${p.apiGroup === undefined ? (p.kind ?? '') : `${p.kind ?? ''}.${p.apiGroup}`}/${p.name ?? ''}`
}

function validate(object: IngressClass): FieldError[] {
  const controller: string = object.spec?.controller ?? ''
  const faults: FieldError[] = []
  if (Buffer.byteLength(controller) > MAX_CONTROLLER_BYTES) faults.push(tooLong(CONTROLLER, MAX_CONTROLLER_BYTES))
  faults.push(...validateDomainPrefixedPath(CONTROLLER, controller))
  return object.spec?.parameters ? [...faults, ...validateParameters(object.spec.parameters)] : faults
}

function validateParameters(p: Parameters): FieldError[] {
  const faults: FieldError[] = []
  if (p.apiGroup !== undefined) faults.push(...invalidEach(child(PARAMETERS, 'apiGroup'), p.apiGroup, dns1123Subdomain(p.apiGroup)))
  for (const field of ['kind', 'name'] as const) {
    const value = p[field] ?? ''
    if (value === '') faults.push(required(child(PARAMETERS, field)))
    else faults.push(...invalidEach(child(PARAMETERS, field), value, pathSegmentName(value)))
  }
  if (p.scope === undefined) return [...faults, required(child(PARAMETERS, 'scope'))]
  if (p.scope !== 'Cluster' && p.scope !== 'Namespace')
    faults.push(notSupportedText(child(PARAMETERS, 'scope'), p.scope, ['Cluster', 'Namespace']))
  const namespace = child(PARAMETERS, 'namespace')
  if (p.scope === 'Namespace') {
    if (p.namespace === undefined) faults.push(required(namespace, "`parameters.scope` is set to 'Namespace'"))
    else faults.push(...invalidEach(namespace, p.namespace, dns1123Label(p.namespace)))
  }
  if (p.scope === 'Cluster' && p.namespace !== undefined) faults.push(forbidden(namespace, "`parameters.scope` is set to 'Cluster'"))
  return faults
}
