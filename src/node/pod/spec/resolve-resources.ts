import { parseQuantity } from '../../../machinery/quantity.ts'
import type { ResourceList } from '../../../resources/types/core.ts'
import type { ContainerResources } from '../../runtime/container-spec.ts'
import type { Container } from '../../types/pod.ts'

type Resources = NonNullable<Container['resources']>

/** The kernel's units: 1024 CPU shares per core; quotas per 100 ms. */
const SHARES_PER_CORE = 1024
const MIN_SHARES = 2
const MAX_SHARES = 262_144
const PERIOD_US = 100_000
const MIN_QUOTA_US = 1000

const INHERITED = ['cpu', 'memory'] as const

/** The resources of a container that the runtime gets: without a limit of its own for processors or memory it has that of the pod. */
export function withPodLimits(own: Resources, podLimits: ResourceList | undefined): Resources {
  if (podLimits === undefined) return own
  const missing = INHERITED.flatMap((name) => {
    const limit = podLimits[name]
    return limit === undefined || own.limits?.[name] !== undefined ? [] : [[name, limit] as const]
  })
  return missing.length === 0 ? own : { ...own, limits: { ...own.limits, ...Object.fromEntries(missing) } }
}

/** The resource limits of a container from its requests and limits. Pure. */
export function containerResources({ resources = {} }: Pick<Container, 'resources'>): ContainerResources {
  const { requests = {}, limits = {} } = resources
  const cpuLimit = milli(limits.cpu)
  // Without a request, the limit counts as the request.
  const cpuRequest = requests.cpu === undefined && limits.cpu !== undefined ? cpuLimit : milli(requests.cpu)
  const pages = hugePages(limits)
  const memory = limits.memory === undefined ? 0 : parseQuantity(limits.memory).value()
  return {
    cpuShares:
      cpuRequest === 0 ? MIN_SHARES : Math.min(Math.max(Math.floor((cpuRequest * SHARES_PER_CORE) / 1000), MIN_SHARES), MAX_SHARES),
    ...(cpuLimit > 0 && { cpuPeriodUs: PERIOD_US, cpuQuotaUs: Math.max((cpuLimit * PERIOD_US) / 1000, MIN_QUOTA_US) }),
    ...(memory > 0 && { memoryLimitBytes: memory }),
    ...(pages.length > 0 && { hugePageLimits: Object.fromEntries(pages) }),
  }
}

const HUGE_PAGES = /^hugepages-(\d+[KMG]i)$/

/** Bytes by page size in the kernel's notation: `2MB` is 2Mi. */
function hugePages(limits: Readonly<Record<string, string | number>>): readonly (readonly [string, number])[] {
  return Object.entries(limits).flatMap(([resource, amount]) => {
    const [, written] = HUGE_PAGES.exec(resource) ?? []
    if (written === undefined) return []
    let [size, unit] = [parseQuantity(written).value(), 0]
    while (size >= 1024 && size % 1024 === 0 && unit < 3) {
      size /= 1024
      unit++
    }
    return [[`${size}${['', 'K', 'M', 'G'][unit]}B`, parseQuantity(amount).value()] as const]
  })
}

const milli = (amount: string | number | undefined) => (amount === undefined ? 0 : parseQuantity(amount).milliValue())
