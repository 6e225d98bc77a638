import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { flowSchemas } from './flowschemas.ts'
import { priorityLevels } from './prioritylevels.ts'

export const flowControlResources: readonly ResourceDefinition[] = [flowSchemas, priorityLevels]
