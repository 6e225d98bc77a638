import { qualifiedName } from '../../machinery/names.ts'

const CONTAINER_RESOURCES = new Set(['cpu', 'memory', 'ephemeral-storage'])

/** What containers ask for, by all the names that quotas have for it. */
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
/** Huge pages, by either name that quotas have for them. */
export const isQuotaHugePages = (name: string): boolean => isHugePages(name) || name.startsWith('requests.hugepages-')

/** `cpu`, `memory`, …: names that a container may ask for without a domain. */
export const isStandardContainerResource = (name: string): boolean => CONTAINER_RESOURCES.has(name) || isHugePages(name)
/** Names without a domain that a quota may limit. */
export const isQuotaResource = (name: string): boolean => QUOTA_RESOURCES.has(name) || isQuotaHugePages(name)
/** Names without a domain that Kubernetes knows anywhere. */
export const isStandardResource = (name: string): boolean => isQuotaResource(name) || name === 'storage'

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
