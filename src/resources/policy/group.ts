import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { podDisruptionBudgets } from './poddisruptionbudgets.ts'

export const policyResources: readonly ResourceDefinition[] = [podDisruptionBudgets]
