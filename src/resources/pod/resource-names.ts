import { qualifiedName } from '../../machinery/names.ts'

const CONTAINER_RESOURCES = new Set(['cpu', 'memory', 'ephemeral-storage'])

/** Resources of containers, by all names that quotas have for them. */
export const COMPUTE_RESOURCES: ReadonlySet<string> = new Set(
  ['', 'requests.', 'limits.'].flatMap((of) => [...CONTAINER_RESOURCES].map((name) => of + name)),
)

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

const QUOTA_RESOURCES = new Set([...COMPUTE_RESOURCES, ...INTEGER_RESOURCES, 'requests.storage'])

export const isHugePages = (name: string): boolean => name.startsWith('hugepages-')
/** Resources that a whole pod may request and limit. */
export const isPodLevel = (name: string): boolean => name === 'cpu' || name === 'memory' || isHugePages(name)
/** Huge pages, by both names that quotas have for them. */
export const isQuotaHugePages = (name: string): boolean => isHugePages(name) || name.startsWith('requests.hugepages-')

/** `cpu`, `memory`, …: names without a domain that containers may use. */
export const isStandardContainerResource = (name: string): boolean => CONTAINER_RESOURCES.has(name) || isHugePages(name)
/** Names without a domain that a quota may limit. */
export const isQuotaResource = (name: string): boolean => QUOTA_RESOURCES.has(name) || isQuotaHugePages(name)
/** Names without a domain that are valid anywhere. */
export const isStandardResource = (name: string): boolean => isQuotaResource(name) || name === 'storage'

/** Without a domain, or in `kubernetes.io/`. */
export const isNativeResource = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/')

/** A countable resource that a vendor advertises: `example.com/dongle`. */
export function isExtendedResource(name: string): boolean {
  if (isNativeResource(name) || name.startsWith('requests.')) return false
  return qualifiedName(`requests.${name}`).length === 0
}

/** True if requests may be lower than limits. */
export const isOvercommitAllowed = (name: string): boolean => isNativeResource(name) && !isHugePages(name)

/** True for resources that are integers. */
export const isIntegerResource = (name: string): boolean => INTEGER_RESOURCES.has(name) || isExtendedResource(name)
