import { parseQuantity, Quantity } from '../../../machinery/quantity.ts'
import type { ContainerResources } from '../../runtime/container-spec.ts'
import type { HeldAmounts } from '../../types/admit-handler.ts'
import type { CgroupAmounts } from './cgroup-files.ts'

const SHARES_PER_CORE = 1024
/** The kernel's least; so it says that nothing was asked for. */
const LEAST_SHARES = 2

/**
 * The limits and requests of a group, as quantities. `unlimitedMemory`: what unlimited memory is shown as; absent: it is left out. Pure.
 */
export function quantitiesOf(held: CgroupAmounts, unlimitedMemory?: string): HeldAmounts {
  const { cpuShares = LEAST_SHARES, cpuQuotaUs = -1, cpuPeriodUs = 1, memoryLimitBytes = -1 } = held
  const memory = memoryLimitBytes < 0 ? unlimitedMemory : Quantity.of(memoryLimitBytes, 'BinarySI').toString()
  return {
    limits: {
      ...(cpuQuotaUs > 0 && { cpu: parseQuantity(`${Math.ceil((cpuQuotaUs * 1000) / cpuPeriodUs)}m`).toString() }),
      ...(memory !== undefined && { memory }),
    },
    requests: cpuShares > LEAST_SHARES ? { cpu: parseQuantity(`${Math.ceil((cpuShares * 1000) / SHARES_PER_CORE)}m`).toString() } : {},
  }
}

/** The amounts of a group for a runtime, without those that are unlimited. */
export const withoutUnlimited = ({ pidsLimit: _, ...amounts }: CgroupAmounts): ContainerResources =>
  Object.fromEntries(Object.entries(amounts).filter(([, amount]) => amount >= 0))
