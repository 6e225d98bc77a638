import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { coreEvents } from '../events/group.ts'
import { configMaps } from './configmaps.ts'
import { endpoints } from './endpoints.ts'
import { secrets } from './secrets.ts'
import { serviceAccounts } from './serviceaccounts.ts'
import { services } from './services.ts'

export const coreResources: readonly ResourceDefinition[] = [configMaps, secrets, serviceAccounts, services, endpoints, coreEvents]
