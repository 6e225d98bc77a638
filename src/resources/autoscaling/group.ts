import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { horizontalPodAutoscalers } from './horizontalpodautoscalers.ts'

export const autoscalingResources: readonly ResourceDefinition[] = [horizontalPodAutoscalers]
