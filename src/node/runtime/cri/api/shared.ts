import { int, many, message, one, text, texts } from '../../../../machinery/protobuf/plain-message.ts'

/** `runtime.v1` of the Container Runtime Interface: field numbers of k8s.io/cri-api, the fields that a Linux node uses. */

export const Empty = message<Record<never, never>>({})

/** Absent and 0 are different: `Int64Value`, `UInt64Value`. */
export const Amount = message({ value: int(1) })

/** `FilesystemUsage`. */
export const FileSystemUsage = message({ at: one(2, message({ mountpoint: text(1) })), used: one(3, Amount), inodes: one(4, Amount) })

/** Of a group of processes; times in nanoseconds. */
export const CpuUsage = message({ timestamp: int(1), coreNanoseconds: one(2, Amount) })
export const MemoryUsage = message({
  timestamp: int(1),
  workingSet: one(2, Amount),
  available: one(3, Amount),
  usage: one(4, Amount),
  resident: one(5, Amount),
  pageFaults: one(6, Amount),
  majorPageFaults: one(7, Amount),
})

export const IdMapping = message({ hostId: int(1), containerId: int(2), length: int(3) })

/** `NamespaceMode`. */
export const NAMESPACE = { pod: 0, container: 1, node: 2, target: 3 } as const

export const UserNamespace = message({ mode: int(1), uids: many(2, IdMapping), gids: many(3, IdMapping) })

export const DnsServers = message({ servers: texts(1), searches: texts(2), options: texts(3) })

export const HugePageLimit = message({ pageSize: text(1), limit: int(2) })

/** `SecurityProfile`; `ProfileType`. */
export const SecurityProfile = message({ profileType: int(1), localhostRef: text(2) })
export const PROFILE = { runtimeDefault: 0, unconfined: 1, localhost: 2 } as const
