import { semanticEqual } from '../../machinery/equal.ts'
import { child, type FieldError, forbidden, invalid } from '../../machinery/field-error.ts'
import { longName } from '../../machinery/names.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { ResourceDefinition, RulesContext } from '../../machinery/resource/definition.ts'
import { AGE, define, NAME } from '../define.ts'
import { fieldSchema, goForm } from '../go-form.ts'
import { isExtendedResource } from '../pod/resource-names.ts'
import { builtinSchema } from '../schema.ts'
import { metadataKept } from '../status-meta.ts'
import { validateTemplateMetadata } from '../template-metadata.ts'
import type * as resource from '../types/resource.ts'
import type { UncheckedObject } from '../unchecked.ts'
import { type ClaimSpec, defaultClaim, type ResourceClaim, validateClaim, validateSelectors } from './claim-spec.ts'
import { validateClaimStatus } from './claim-status.ts'
import { GROUP, limited, validateConfiguration } from './common.ts'
import { resourceSlices } from './resourceslices.ts'

type DeviceClass = UncheckedObject<resource.DeviceClass>
type ResourceClaimTemplate = UncheckedObject<resource.ResourceClaimTemplate>

const deviceClasses = define<DeviceClass>({
  group: GROUP,
  kind: 'DeviceClass',
  plural: 'deviceclasses',
  singular: 'deviceclass',
  scope: 'Cluster',
  columns: [NAME, AGE],
  rules: {
    validateName: (name, generated) => (generated ? [] : longName(name)),
    generation: 'spec',
    returnsDeleted: true,
    validateCreate: validateClass,
    validateUpdate: validateClass,
  },
})

const MAX_CONFIG = 32

function validateClass(object: DeviceClass): FieldError[] {
  const spec = object.spec ?? {}
  const faults = [
    ...validateSelectors(spec.selectors, child('spec', 'selectors')),
    ...limited(spec.config, MAX_CONFIG, child('spec', 'config'), validateConfiguration),
  ]
  const name = spec.extendedResourceName
  if (name !== undefined && !isExtendedResource(name))
    faults.push(invalid(child('spec', 'extendedResourceName'), name, 'must be a valid extended resource name'))
  return faults
}

const claimSchema = builtinSchema(GROUP, 'v1', 'ResourceClaim')
const templateSchema = builtinSchema(GROUP, 'v1', 'ResourceClaimTemplate')

const resourceClaims = define<ResourceClaim>({
  group: GROUP,
  kind: 'ResourceClaim',
  plural: 'resourceclaims',
  singular: 'resourceclaim',
  columns: [NAME, { name: 'State', description: 'Whether devices are allocated and reserved', cell: stateText }, AGE],
  rules: {
    returnsDeleted: true,
    defaults: (draft) => defaultClaim(draft.spec),
    prepareForCreate: (draft) => {
      draft.status = {}
    },
    validateCreate: (object, context) => [
      ...validateAdminAccess(object.spec ?? {}, object, context),
      ...validateClaim(object.spec ?? {}, 'spec'),
    ],
    validateUpdate: (object, old) => {
      if (semanticEqual(object.spec, old.spec)) return []
      return [invalid('spec', goForm(object.spec, fieldSchema(claimSchema(), 'spec')), 'field is immutable')]
    },
  },
  subresources: { status: { kind: 'status', table: false, rules: { ...metadataKept, validateUpdate: validateStatus } } },
})

function stateText(claim: ResourceClaim): string {
  const states: string[] = claim.metadata.deletionTimestamp ? ['deleted'] : []
  if (claim.status?.allocation) {
    states.push('allocated')
    if (claim.status.reservedFor?.length) states.push('reserved')
  } else if (states.length === 0) states.push('pending')
  return states.join(',')
}

function validateStatus(claim: ResourceClaim, old: ResourceClaim, context: RulesContext): FieldError[] {
  return [...validateGranted(claim, old, context), ...validateClaimStatus(claim, old)]
}

const ADMIN_LABEL = 'resource.kubernetes.io/admin-access'

/** Admin access requires a label on the namespace. The path is that of the API before version 1, as in Kubernetes. */
function validateAdminAccess(spec: ClaimSpec, object: KubeObject, context: RulesContext): FieldError[] {
  const at = (spec.devices?.requests ?? []).findIndex((r) => r.exactly?.adminAccess === true)
  return at < 0 ? [] : checkAdminLabel(`spec.devices.requests[${at}].adminAccess`, object, context)
}

/** An allocation with admin access requires such a namespace, for every user. */
function validateGranted(claim: ResourceClaim, old: ResourceClaim, context: RulesContext): FieldError[] {
  const granted = (object: ResourceClaim): number => {
    const results = object.status?.allocation?.devices?.results ?? []
    return results.findIndex((r) => r.adminAccess === true)
  }
  const at = granted(claim)
  return at < 0 || granted(old) >= 0 ? [] : checkAdminLabel(`status.allocation.devices.results[${at}].adminAccess`, claim, context)
}

function checkAdminLabel(path: string, { metadata }: KubeObject, context: RulesContext): FieldError[] {
  const namespace = context.reader.get('', 'namespaces', '', metadata.namespace ?? '')
  if (namespace?.metadata.labels?.[ADMIN_LABEL] === 'true') return []
  return [forbidden(path, `admin access to devices requires the \`${ADMIN_LABEL}: true\` label on the containing namespace`)]
}

const resourceClaimTemplates = define<ResourceClaimTemplate>({
  group: GROUP,
  kind: 'ResourceClaimTemplate',
  plural: 'resourceclaimtemplates',
  singular: 'resourceclaimtemplate',
  columns: [NAME, AGE],
  rules: {
    returnsDeleted: true,
    defaults: (draft) => defaultClaim(draft.spec?.spec),
    validateCreate: (object, context) => [...validateAdminAccess(object.spec?.spec ?? {}, object, context), ...validateTemplate(object)],
    validateUpdate: (object, old) => {
      const faults = validateTemplate(object)
      if (!semanticEqual(object.spec, old.spec))
        faults.push(invalid('spec', goForm(object.spec, fieldSchema(templateSchema(), 'spec')), 'field is immutable'))
      return faults
    },
  },
})

function validateTemplate(object: ResourceClaimTemplate): FieldError[] {
  return [
    ...validateTemplateMetadata(object.spec?.metadata, child('spec', 'metadata')),
    ...validateClaim(object.spec?.spec ?? {}, child('spec', 'spec')),
  ]
}

export const resourceResources: readonly ResourceDefinition[] = [deviceClasses, resourceClaims, resourceClaimTemplates, resourceSlices]
