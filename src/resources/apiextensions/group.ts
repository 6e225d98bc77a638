import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { CREATED_AT, define, NAME } from '../define.ts'

/** CustomResourceDefinitions; what they must keep is for `customresourcedefinitions.ts` to say. */
export const customResourceDefinitions = define({
  group: 'apiextensions.k8s.io',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  singular: 'customresourcedefinition',
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  scope: 'Cluster',
  columns: [NAME, CREATED_AT],
  rules: { allowUnconditionalUpdate: false, generation: 'spec' },
  subresources: { status: { kind: 'status' } },
})

export const apiExtensionsResources: readonly ResourceDefinition[] = [customResourceDefinitions]
