import { timestamp } from '../../base/clock.ts'
import { child, type FieldError, goQuote, invalid, notSupported, required } from '../../machinery/field-error.ts'
import { dns1035Label, dns1123Subdomain, pathSegmentName, portNumber } from '../../machinery/names.ts'
import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { faultsOfEach } from '../../machinery/validation/faults-of-each.ts'
import { invalidEach } from '../checks.ts'
import { AGE, define, NAME } from '../define.ts'
import { keepWrittenMetadata, metadataKept } from '../status-meta.ts'
import type * as apiregistration from '../types/apiregistration.ts'
import type { Unchecked, UncheckedObject } from '../unchecked.ts'

type APIService = UncheckedObject<apiregistration.APIService>

const apiServices = define<APIService>({
  group: 'apiregistration.k8s.io',
  kind: 'APIService',
  plural: 'apiservices',
  singular: 'apiservice',
  scope: 'Cluster',
  categories: ['api-extensions'],
  columns: [
    NAME,
    { name: 'Service', description: 'The service that answers for this group and version', cell: (o) => serviceText(o.spec?.service) },
    { name: 'Available', description: 'Whether that service can be reached', cell: availableText },
    AGE,
  ],
  rules: {
    allowUnconditionalUpdate: false,
    defaults: (draft) => {
      if (draft.spec?.service) draft.spec.service.port ??= 443
    },
    validateName: serviceName,
    prepareForCreate: (draft, context) => {
      draft.status = draft.spec?.service ? {} : { conditions: [alwaysAvailable(context.now)] }
    },
    validateCreate: validate,
    validateUpdate: validate,
  },
  subresources: {
    status: {
      kind: 'status',
      table: false,
      rules: { ...metadataKept, prepareForUpdate: keepWrittenMetadata, validateUpdate: validateStatus },
    },
  },
})

/** The condition of an APIService of this server itself. */
const alwaysAvailable = (now: number) => ({
  type: 'Available',
  status: 'True',
  lastTransitionTime: timestamp(now),
  reason: 'Local',
  message: 'Local APIServices are always available',
})

const serviceText = (service: { namespace?: string; name?: string } | null | undefined): string =>
  service ? `${service.namespace ?? ''}/${service.name ?? ''}` : 'Local'

function availableText(object: APIService): string {
  const conditions = object.status?.conditions ?? []
  const condition = conditions.find((c) => c.type === 'Available')
  if (!condition) return 'Unknown'
  return condition.status === 'True' ? 'True' : `${condition.status} (${condition.reason ?? ''})`
}

/** The name, and a prefix of it, is the version and the group. */
function serviceName(name: string, _generated: boolean, { spec }: APIService): readonly string[] {
  const faults = pathSegmentName(name)
  if (faults.length > 0) return faults
  const wanted = `${spec?.version ?? ''}.${spec?.group ?? ''}`
  return name === wanted ? [] : [`must be \`spec.version+"."+spec.group\`: ${goQuote(wanted)}`]
}

function validate(object: APIService): FieldError[] {
  const spec = object.spec ?? {}
  const group = spec.group ?? ''
  const version = spec.version ?? ''
  const faults: FieldError[] = []
  if (group === '' && version !== 'v1')
    faults.push(required(child('spec', 'group'), 'only v1 may have an empty group and it better be legacy kube'))
  if (group !== '') faults.push(...invalidEach(child('spec', 'group'), group, dns1123Subdomain(group)))
  faults.push(...invalidEach(child('spec', 'version'), version, dns1035Label(version)))
  faults.push(...validatePriority(spec.groupPriorityMinimum ?? 0, 20000, child('spec', 'groupPriorityMinimum')))
  faults.push(...validatePriority(spec.versionPriority ?? 0, 1000, child('spec', 'versionPriority')))
  return [...faults, ...(spec.service ? validateService(spec) : validateLocal(spec))]
}

const validatePriority = (value: number, max: number, path: string): FieldError[] =>
  value <= 0 || value > max ? [invalid(path, value, `must be positive and less than ${max}`)] : []

function validateLocal(spec: { caBundle?: string; insecureSkipTLSVerify?: boolean }): FieldError[] {
  const faults: FieldError[] = []
  const bytes = Buffer.byteLength(spec.caBundle ?? '', 'base64')
  if (bytes > 0) faults.push(invalid(child('spec', 'caBundle'), `${bytes} bytes`, 'local APIServices may not have a caBundle'))
  if (spec.insecureSkipTLSVerify)
    faults.push(invalid(child('spec', 'insecureSkipTLSVerify'), true, 'local APIServices may not have insecureSkipTLSVerify'))
  return faults
}

type ServiceSpec = Unchecked<apiregistration.APIServiceSpec>

function validateService(spec: ServiceSpec): FieldError[] {
  const { service = {} } = spec
  const path = child('spec', 'service')
  const faults: FieldError[] = []
  if (!service.namespace) faults.push(required(child(path, 'namespace')))
  if (!service.name) faults.push(required(child(path, 'name')))
  for (const text of portNumber(service.port ?? 0))
    faults.push(invalid(child(path, 'port'), service.port ?? 0, `port is not valid: ${text}`))
  if (spec.insecureSkipTLSVerify && spec.caBundle)
    faults.push(invalid(child('spec', 'insecureSkipTLSVerify'), true, 'may not be true if caBundle is present'))
  return faults
}

function validateStatus(object: APIService): FieldError[] {
  const conditions = object.status?.conditions ?? []
  return faultsOfEach(conditions, (c, i) =>
    ['True', 'False', 'Unknown'].includes(c.status ?? '')
      ? []
      : [notSupported(`status.conditions[${i}].status`, c.status ?? '', ['True', 'False', 'Unknown'])],
  )
}

export const apiRegistrationResources: readonly ResourceDefinition[] = [apiServices]
