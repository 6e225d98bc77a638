import type { Service } from '../../resources/types/core.ts'

export const SERVICE_NAME = 'kubernetes.io/service-name'
export const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by'
export const HEADLESS = 'service.kubernetes.io/headless'
export const TRIGGER_TIME = 'endpoints.kubernetes.io/last-change-trigger-time'

/** The label by which a service without a cluster IP shows that. */
export const headlessLabel = ({ spec }: Service): Record<string, string> => (spec?.clusterIP === 'None' ? { [HEADLESS]: '' } : {})
