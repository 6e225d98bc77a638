import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { ingressClasses } from './ingressclasses.ts'
import { ingresses } from './ingresses.ts'
import { ipAddresses } from './ipaddresses.ts'
import { networkPolicies } from './networkpolicies.ts'
import { serviceCidrs } from './servicecidrs.ts'

export const networkingResources: readonly ResourceDefinition[] = [ingressClasses, ingresses, ipAddresses, networkPolicies, serviceCidrs]
