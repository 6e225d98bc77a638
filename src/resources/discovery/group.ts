import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { endpointSlices } from './endpointslices.ts'

export const discoveryResources: readonly ResourceDefinition[] = [endpointSlices]
