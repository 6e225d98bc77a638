import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { runtimeClasses } from './runtimeclasses.ts'

export const nodeResources: readonly ResourceDefinition[] = [runtimeClasses]
