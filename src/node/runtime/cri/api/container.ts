import {
  bool,
  bytes,
  int,
  ints,
  type MessageOf,
  many,
  message,
  one,
  text,
  textMap,
  texts,
} from '../../../../machinery/protobuf/plain-message.ts'
import { ImageSpec } from './image.ts'
import { LinuxResources } from './resources.ts'
import { NamespaceOptions, SandboxConfig } from './sandbox.ts'
import { Amount, CpuUsage, FileSystemUsage, IdMapping, MemoryUsage, SecurityProfile } from './shared.ts'

export const Mount = message({
  containerPath: text(1),
  hostPath: text(2),
  readOnly: bool(3),
  propagation: int(5),
  uidMappings: many(6, IdMapping),
  gidMappings: many(7, IdMapping),
  recursiveReadOnly: bool(8),
  image: one(9, ImageSpec),
  imageSubPath: text(10),
})
/** `MountPropagation`. */
export const PROPAGATION = { private: 0, hostToContainer: 1, bidirectional: 2 } as const

const Capabilities = message({ add: texts(1), drop: texts(2) })

export { Capabilities }

export const ContainerSecurity = message({
  capabilities: one(1, Capabilities),
  privileged: bool(2),
  namespaces: one(3, NamespaceOptions),
  runAsUser: one(5, Amount),
  runAsUsername: text(6),
  readOnlyRoot: bool(7),
  supplementalGroups: ints(8),
  noNewPrivileges: bool(11),
  runAsGroup: one(12, Amount),
  maskedPaths: texts(13),
  readOnlyPaths: texts(14),
  seccomp: one(15, SecurityProfile),
  appArmor: one(16, SecurityProfile),
  groupsPolicy: int(17),
})
export type SecurityMessage = MessageOf<typeof ContainerSecurity>

export const LinuxContainer = message({ resources: one(1, LinuxResources), security: one(2, ContainerSecurity) })
export const ContainerMetadata = message({ name: text(1), attempt: int(2) })
export const Variable = message({ key: text(1), value: bytes(2) })

export const ContainerConfig = message({
  metadata: one(1, ContainerMetadata),
  image: one(2, ImageSpec),
  command: texts(3),
  args: texts(4),
  workingDir: text(5),
  environment: many(6, Variable),
  mounts: many(7, Mount),
  devices: many(8, message({ containerPath: text(1), hostPath: text(2), permissions: text(3) })),
  labels: textMap(9),
  annotations: textMap(10),
  logPath: text(11),
  stdin: bool(12),
  stdinOnce: bool(13),
  tty: bool(14),
  linux: one(15, LinuxContainer),
  cdiDevices: many(17, message({ name: text(1) })),
  stopSignal: int(18),
})
export type ContainerConfig = MessageOf<typeof ContainerConfig>

export const CreateContainerRequest = message({ sandboxId: text(1), config: one(2, ContainerConfig), sandboxConfig: one(3, SandboxConfig) })
export const ContainerId = message({ id: text(1) })
export const StopContainerRequest = message({ id: text(1), timeoutS: int(2) })

const ContainerFilter = message({ id: text(1), sandboxId: text(3), labels: textMap(4) })

export { ContainerFilter }
export const ListContainersRequest = message({ filter: one(1, ContainerFilter) })

const Container = message({
  id: text(1),
  sandboxId: text(2),
  metadata: one(3, ContainerMetadata),
  image: one(4, ImageSpec),
  imageRef: text(5),
  state: int(6),
  createdAt: int(7),
  labels: textMap(8),
  annotations: textMap(9),
})
export type ListedContainer = MessageOf<typeof Container>
export const ListContainersResponse = message({ containers: many(1, Container) })

/** `ContainerState`, by number. */
export const CONTAINER_STATES = ['created', 'running', 'exited', 'unknown'] as const

export const ContainerStatusRequest = message({ id: text(1), verbose: bool(2) })
const LinuxUser = message({ uid: int(1), gid: int(2), supplementalGroups: ints(3) })
const ContainerStatus = message({
  id: text(1),
  metadata: one(2, ContainerMetadata),
  state: int(3),
  createdAt: int(4),
  startedAt: int(5),
  finishedAt: int(6),
  exitCode: int(7),
  image: one(8, ImageSpec),
  imageRef: text(9),
  reason: text(10),
  message: text(11),
  labels: textMap(12),
  annotations: textMap(13),
  mounts: many(14, Mount),
  logPath: text(15),
  resources: one(16, message({ linux: one(1, LinuxResources) })),
  user: one(18, message({ linux: one(1, LinuxUser) })),
  stopSignal: int(19),
})
export type StatusMessage = MessageOf<typeof ContainerStatus>
export const ContainerStatusResponse = message({ status: one(1, ContainerStatus) })

export const UpdateResourcesRequest = message({ id: text(1), linux: one(2, LinuxResources) })

export const ExecSyncRequest = message({ id: text(1), command: texts(2), timeoutS: int(3) })
export const ExecSyncResponse = message({ stdout: bytes(1), stderr: bytes(2), exitCode: int(3) })
export const ExecRequest = message({ id: text(1), command: texts(2), tty: bool(3), stdin: bool(4), stdout: bool(5), stderr: bool(6) })
export const AttachRequest = message({ id: text(1), stdin: bool(2), tty: bool(3), stdout: bool(4), stderr: bool(5) })
export const PortForwardRequest = message({ sandboxId: text(1), ports: ints(2) })
export const StreamUrl = message({ url: text(1) })
export const CheckpointRequest = message({ id: text(1), location: text(2), timeoutS: int(3) })

const ContainerAttributes = message({ id: text(1), metadata: one(2, ContainerMetadata), labels: textMap(3) })
const ContainerStats = message({
  attributes: one(1, ContainerAttributes),
  cpu: one(2, CpuUsage),
  memory: one(3, MemoryUsage),
  layer: one(4, FileSystemUsage),
})
export const ListStatsRequest = message({ filter: one(1, message({ id: text(1), sandboxId: text(2), labels: textMap(3) })) })
export const ListStatsResponse = message({ stats: many(1, ContainerStats) })
