import type { KubeObject } from '../../machinery/object.ts'
import type { SchemaProps } from '../../machinery/structural/schema-props.ts'
import type { ClientConfig } from '../admissionregistration/client-config.ts'

/** `apiextensions.k8s.io/v1` CustomResourceDefinition. */
export interface CustomResourceDefinition extends KubeObject {
  spec: DefinitionSpec
  status: DefinitionStatus
}

export interface DefinitionSpec {
  group: string
  scope: 'Namespaced' | 'Cluster'
  names: DefinitionNames
  versions: DefinitionVersion[] | null
  conversion?: Conversion
  preserveUnknownFields?: boolean
}

export interface DefinitionNames {
  plural: string
  singular?: string
  kind: string
  listKind?: string
  shortNames?: string[]
  categories?: string[]
}

export interface Conversion {
  strategy: 'None' | 'Webhook'
  webhook?: { clientConfig?: ClientConfig; conversionReviewVersions?: string[] | null }
}

export interface DefinitionVersion {
  name: string
  served: boolean
  storage: boolean
  deprecated?: boolean
  deprecationWarning?: string
  schema?: { openAPIV3Schema?: SchemaProps }
  subresources?: Subresources
  additionalPrinterColumns?: Column[]
  selectableFields?: SelectableField[]
}

export interface Subresources {
  status?: object
  scale?: { specReplicasPath: string; statusReplicasPath: string; labelSelectorPath?: string }
}

export interface Column {
  name: string
  type: string
  format?: string
  description?: string
  priority?: number
  jsonPath: string
}

export interface SelectableField {
  jsonPath: string
}

export interface DefinitionStatus {
  conditions: DefinitionCondition[] | null
  acceptedNames: DefinitionNames
  storedVersions: string[] | null
  observedGeneration?: number
}

export interface DefinitionCondition {
  type: string
  status: 'True' | 'False' | 'Unknown'
  lastTransitionTime?: string | null
  reason?: string
  message?: string
  observedGeneration?: number
}

export const DEFINITIONS = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' } as const
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io'

export const conditionOf = (crd: CustomResourceDefinition, type: string): DefinitionCondition | undefined =>
  crd.status?.conditions?.find((c) => c.type === type)
export const isTrue = (crd: CustomResourceDefinition, type: string): boolean => conditionOf(crd, type)?.status === 'True'
