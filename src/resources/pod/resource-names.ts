import { qualifiedName } from '../../machinery/names.ts'

const CONTAINER_RESOURCES = new Set(['cpu', 'memory', 'ephemeral-storage'])

const STANDARD_RESOURCES = new Set([
  'cpu',
  'memory',
  'ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'storage',
  'requests.storage',
  'services.nodeports',
  'services.loadbalancers',
])

const INTEGER_RESOURCES = new Set([
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
])

export const isHugePages = (name: string): boolean => name.startsWith('hugepages-')
const isQuotaHugePages = (name: string): boolean => isHugePages(name) || name.startsWith('requests.hugepages-')

/** `cpu`, `memory`, …: names that a container may ask for without a domain. */
export const isStandardContainerResource = (name: string): boolean => CONTAINER_RESOURCES.has(name) || isHugePages(name)
/** Names without a domain that Kubernetes knows anywhere. */
export const isStandardResource = (name: string): boolean => STANDARD_RESOURCES.has(name) || isQuotaHugePages(name)

/** Without a domain, or in `kubernetes.io/`: Kubernetes' own. */
export const isNativeResource = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/')

/** A countable resource that a vendor advertises: `example.com/dongle`. */
export function isExtendedResource(name: string): boolean {
  if (isNativeResource(name) || name.startsWith('requests.')) return false
  return qualifiedName(`requests.${name}`).length === 0
}

/** Requests may be lower than limits. */
export const isOvercommitAllowed = (name: string): boolean => isNativeResource(name) && !isHugePages(name)

/** Only whole numbers make sense. */
export const isIntegerResource = (name: string): boolean => INTEGER_RESOURCES.has(name) || isExtendedResource(name)
