import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { priorityClasses } from './priorityclasses.ts'

export const schedulingResources: readonly ResourceDefinition[] = [priorityClasses]
