import { int, type MessageOf, many, message, text } from '../../../../machinery/protobuf/plain-message.ts'
import { HugePageLimit } from './shared.ts'

/** `LinuxContainerResources`. */
export const LinuxResources = message({
  cpuPeriod: int(1),
  cpuQuota: int(2),
  cpuShares: int(3),
  memoryLimit: int(4),
  oomScoreAdj: int(5),
  cpus: text(6),
  memoryNodes: text(7),
  hugePageLimits: many(8, HugePageLimit),
  memorySwapLimit: int(10),
})
export type LinuxResources = MessageOf<typeof LinuxResources>
