import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { coreEvents } from '../events/group.ts'
import { bindings } from './bindings.ts'
import { componentStatuses } from './componentstatuses.ts'
import { configMaps } from './configmaps.ts'
import { endpoints } from './endpoints.ts'
import { limitRanges } from './limitranges.ts'
import { namespaces } from './namespaces.ts'
import { nodes } from './nodes.ts'
import { persistentVolumeClaims } from './persistentvolumeclaims.ts'
import { persistentVolumes } from './persistentvolumes.ts'
import { pods } from './pods.ts'
import { podTemplates } from './podtemplates.ts'
import { replicationControllers } from './replicationcontrollers.ts'
import { resourceQuotas } from './resourcequotas.ts'
import { secrets } from './secrets.ts'
import { serviceAccounts } from './serviceaccounts.ts'
import { services } from './services.ts'

export const coreResources: readonly ResourceDefinition[] = [
  bindings,
  componentStatuses,
  configMaps,
  endpoints,
  coreEvents,
  limitRanges,
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  podTemplates,
  replicationControllers,
  resourceQuotas,
  secrets,
  serviceAccounts,
  services,
]
