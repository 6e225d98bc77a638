import { once } from '../../base/once.ts'
import { type FieldError, invalid, required } from '../../machinery/field-error.ts'
import { dns1035Label, dns1123Subdomain } from '../../machinery/names.ts'
import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import type { Field, Schema, StructSchema } from '../../machinery/schema/schema.ts'
import { faultsOfEach } from '../../machinery/validation/faults-of-each.ts'
import { builtinSchema } from '../schema.ts'
import { textColumn } from '../text-column.ts'
import { type ThirdPartyResource, thirdPartyNames } from './third-party-names.ts'

const META = builtinSchema('meta.k8s.io', 'v1', 'ObjectMeta')
const TEXT: Schema = { type: 'scalar', scalar: 'string', go: 'string' }
const optional = (schema: Schema): Field => ({ schema, tag: 0, omitEmpty: true })

const schema = once((): StructSchema => {
  const version: StructSchema = {
    type: 'struct',
    name: 'APIVersion',
    go: 'v1beta1.APIVersion',
    fields: new Map([['name', optional(TEXT)]]),
    required: [],
  }
  return {
    type: 'struct',
    name: 'ThirdPartyResource',
    openapiName: 'io.k8s.api.extensions.v1beta1.ThirdPartyResource',
    go: 'v1beta1.ThirdPartyResource',
    required: [],
    fields: new Map([
      ['apiVersion', optional(TEXT)],
      ['kind', optional(TEXT)],
      ['metadata', optional(META())],
      ['description', optional(TEXT)],
      ['versions', optional({ type: 'list', items: version, go: '[]v1beta1.APIVersion' })],
    ]),
  }
})

function check(resource: ThirdPartyResource): FieldError[] {
  const faults: FieldError[] = []
  const name = resource.metadata.name ?? ''
  if (name !== '' && thirdPartyNames(name) === undefined)
    faults.push(invalid('metadata.name', name, 'must be of the form <kind-of-words>.<domain>, such as cron-tab.stable.example.com'))
  const versions = resource.versions ?? []
  if (versions.length === 0) faults.push(required('versions', 'must specify at least one version'))
  const seen = new Set<string>()
  return [
    ...faults,
    ...faultsOfEach(versions, ({ name: version = '' }, i) => {
      const found: FieldError[] = []
      const at = `versions[${i}].name`
      for (const wrong of dns1035Label(version)) found.push(invalid(at, version, wrong))
      if (seen.has(version)) found.push(invalid(at, version, 'must not stand there twice'))
      seen.add(version)
      return found
    }),
  ]
}

/** `thirdpartyresources.extensions`: the predecessor of CustomResourceDefinitions. */
export const thirdPartyResources: ResourceDefinition = {
  group: 'extensions',
  names: { kind: 'ThirdPartyResource', plural: 'thirdpartyresources', singular: 'thirdpartyresource' },
  scope: 'Cluster',
  storageVersion: 'v1beta1',
  versions: [
    {
      version: 'v1beta1',
      served: true,
      schema,
      columns: [
        textColumn<ThirdPartyResource>('Name', 'The kind in words, and the domain of its group.', (r) => r.metadata.name ?? ''),
        textColumn<ThirdPartyResource>('Description', 'What it is for.', (r) => r.description ?? ''),
        textColumn<ThirdPartyResource>('Version(s)', 'The versions of its objects.', (r) =>
          (r.versions ?? []).map((v) => v.name ?? '').join(','),
        ),
      ],
    },
  ],
  rules: {
    validateName: (name) => dns1123Subdomain(name),
    validateCreate: (object) => check(object as ThirdPartyResource),
    validateUpdate: (object) => check(object as ThirdPartyResource),
  },
}
