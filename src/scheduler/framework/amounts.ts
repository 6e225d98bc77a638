import { parseQuantity, tryParseQuantity } from '../../machinery/quantity.ts'

/** Amounts as the scheduler counts them: CPU in thousandths, all else in whole units, both rounded up. Parsed once per text. */
export function amountOf(resource: string, quantity: string | number): number {
  const memory = resource === 'cpu' ? milliCache : wholeCache
  const text = String(quantity)
  const known = memory.get(text)
  if (known !== undefined) return known
  const parsed = tryParseQuantity(quantity) ?? parseQuantity(0)
  const amount = Number(resource === 'cpu' ? parsed.milliValue() : parsed.value())
  if (memory.size >= MAX_CACHED) memory.clear()
  memory.set(text, amount)
  return amount
}

const MAX_CACHED = 10_000
const milliCache = new Map<string, number>()
const wholeCache = new Map<string, number>()

/** Everything that is not named by Kubernetes itself: `example.com/dongle`, opaque integer resources. */
export function isExtendedResource(name: string): boolean {
  return name.includes('/') && !name.split('/')[0]?.endsWith('kubernetes.io') && !name.startsWith('requests.')
}

/** Resources beside cpu, memory, ephemeral-storage and pods that nodes count: extended ones, hugepages, attachable volumes, opaque integers. */
export function isScalarResource(name: string): boolean {
  return name.includes('/') || name.startsWith('hugepages-') || name.startsWith('attachable-volumes-')
}
