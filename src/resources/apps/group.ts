import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { controllerRevisions } from './controllerrevisions.ts'
import { daemonSets } from './daemonsets.ts'
import { deployments } from './deployments.ts'
import { replicaSets } from './replicasets.ts'
import { statefulSets } from './statefulsets.ts'

export const appsResources: readonly ResourceDefinition[] = [controllerRevisions, daemonSets, deployments, replicaSets, statefulSets]
