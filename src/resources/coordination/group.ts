import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { leases } from './leases.ts'

export const coordinationResources: readonly ResourceDefinition[] = [leases]
