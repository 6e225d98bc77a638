import { bool, int, ints, type MessageOf, many, message, one, text, textMap } from '../../../../machinery/protobuf/plain-message.ts'
import { LinuxResources } from './resources.ts'
import { Amount, CpuUsage, DnsServers, MemoryUsage, SecurityProfile, UserNamespace } from './shared.ts'

export const NamespaceOptions = message({ network: int(1), pid: int(2), ipc: int(3), targetId: text(4), users: one(5, UserNamespace) })

const SandboxSecurity = message({
  namespaces: one(1, NamespaceOptions),
  runAsUser: one(3, Amount),
  readOnlyRoot: bool(4),
  supplementalGroups: ints(5),
  privileged: bool(6),
  runAsGroup: one(8, Amount),
  seccomp: one(9, SecurityProfile),
  appArmor: one(10, SecurityProfile),
  groupsPolicy: int(11),
})

export { SandboxSecurity }

const LinuxSandbox = message({
  cgroupParent: text(1),
  security: one(2, SandboxSecurity),
  sysctls: textMap(3),
  overhead: one(4, LinuxResources),
  resources: one(5, LinuxResources),
})

export { LinuxSandbox }

export const PortMapping = message({ protocol: int(1), containerPort: int(2), hostPort: int(3), hostIp: text(4) })

const SandboxMetadata = message({ name: text(1), uid: text(2), namespace: text(3), attempt: int(4) })

export { SandboxMetadata }

export const SandboxConfig = message({
  metadata: one(1, SandboxMetadata),
  hostname: text(2),
  logDirectory: text(3),
  dns: one(4, DnsServers),
  portMappings: many(5, PortMapping),
  labels: textMap(6),
  annotations: textMap(7),
  linux: one(8, LinuxSandbox),
})
export type SandboxConfig = MessageOf<typeof SandboxConfig>

export const RunSandboxRequest = message({ config: one(1, SandboxConfig), runtimeHandler: text(2) })
export const SandboxId = message({ id: text(1) })

export const UpdateSandboxRequest = message({ id: text(1), overhead: one(2, LinuxResources), resources: one(3, LinuxResources) })

export const SandboxStatusRequest = message({ id: text(1), verbose: bool(2) })
const NetworkStatus = message({ ip: text(1), additionalIps: many(2, message({ ip: text(1) })) })
const SandboxStatus = message({
  id: text(1),
  metadata: one(2, SandboxMetadata),
  state: int(3),
  createdAt: int(4),
  network: one(5, NetworkStatus),
  labels: textMap(7),
  annotations: textMap(8),
  runtimeHandler: text(9),
})
export const SandboxStatusResponse = message({ status: one(1, SandboxStatus) })

/** `PodSandboxState`. */
export const SANDBOX_READY = 0

const SandboxFilter = message({ id: text(1), labels: textMap(3) })
export const ListSandboxesRequest = message({ filter: one(1, SandboxFilter) })
export { SandboxFilter }

const Sandbox = message({
  id: text(1),
  metadata: one(2, SandboxMetadata),
  state: int(3),
  createdAt: int(4),
  labels: textMap(5),
  annotations: textMap(6),
  runtimeHandler: text(7),
})
export type ListedSandbox = MessageOf<typeof Sandbox>
export const ListSandboxesResponse = message({ items: many(1, Sandbox) })

const NetworkInterface = message({
  name: text(1),
  rxBytes: one(2, Amount),
  rxErrors: one(3, Amount),
  txBytes: one(4, Amount),
  txErrors: one(5, Amount),
})
export type InterfaceMessage = MessageOf<typeof NetworkInterface>
const NetworkUsage = message({ timestamp: int(1), default: one(2, NetworkInterface), interfaces: many(3, NetworkInterface) })
const LinuxSandboxStats = message({
  cpu: one(1, CpuUsage),
  memory: one(2, MemoryUsage),
  network: one(3, NetworkUsage),
  process: one(4, message({ timestamp: int(1), count: one(2, Amount) })),
})
const SandboxStats = message({
  attributes: one(1, message({ id: text(1), metadata: one(2, SandboxMetadata) })),
  linux: one(2, LinuxSandboxStats),
})
export type SandboxStatsMessage = MessageOf<typeof SandboxStats>
export const ListSandboxStatsRequest = message({ filter: one(1, message({ id: text(1), labels: textMap(2) })) })
export const ListSandboxStatsResponse = message({ stats: many(1, SandboxStats) })
