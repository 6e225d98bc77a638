import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { customResourceDefinitions } from './customresourcedefinitions.ts'

/** apiextensions.k8s.io. */
export const apiExtensionsResources: readonly ResourceDefinition[] = [customResourceDefinitions]
