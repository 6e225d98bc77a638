import type { ResourceDefinition } from '../machinery/resource/definition.ts'
import { admissionRegistrationResources } from './admissionregistration/group.ts'
import { apiExtensionsResources } from './apiextensions/group.ts'
import { apiRegistrationResources } from './apiregistration/group.ts'
import { appsResources } from './apps/group.ts'
import { authenticationResources } from './authentication/group.ts'
import { authorizationResources } from './authorization/group.ts'
import { autoscalingResources } from './autoscaling/group.ts'
import { batchResources } from './batch/group.ts'
import { certificatesResources } from './certificates/group.ts'
import { coordinationResources } from './coordination/group.ts'
import { coreResources } from './core/group.ts'
import { discoveryResources } from './discovery/group.ts'
import { eventsResources } from './events/group.ts'
import { flowControlResources } from './flowcontrol/group.ts'
import { networkingResources } from './networking/group.ts'
import { nodeResources } from './node/group.ts'
import { policyResources } from './policy/group.ts'
import { rbacResources } from './rbac/group.ts'
import { resourceResources } from './resource/group.ts'
import { schedulingResources } from './scheduling/group.ts'
import { storageResources } from './storage/group.ts'

/** Every built-in resource, group by group in the order of discovery. Plain data: schemas are read at first use. */
export function builtinResources(): readonly ResourceDefinition[] {
  return [
    ...coreResources,
    ...apiRegistrationResources,
    ...appsResources,
    ...eventsResources,
    ...authenticationResources,
    ...authorizationResources,
    ...autoscalingResources,
    ...batchResources,
    ...certificatesResources,
    ...networkingResources,
    ...policyResources,
    ...rbacResources,
    ...storageResources,
    ...admissionRegistrationResources,
    ...apiExtensionsResources,
    ...schedulingResources,
    ...coordinationResources,
    ...nodeResources,
    ...discoveryResources,
    ...resourceResources,
    ...flowControlResources,
  ]
}
