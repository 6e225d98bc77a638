/** Whose namespace of the kernel is used: the pod's, one of the container's own, the node's, or that of another container (by its id). */
export type NamespaceMode = 'pod' | 'container' | 'node' | { readonly of: string }

export interface Namespaces {
  readonly network: NamespaceMode
  readonly pid: NamespaceMode
  readonly ipc: NamespaceMode
  /** Absent: ids are the node's. */
  readonly userIds?: IdMapping
}

/** User and group ids of containers, from 0 on, as ids of the node. */
export interface IdMapping {
  readonly hostId: number
  readonly length: number
}

/** A profile of seccomp or AppArmor. */
export type SecurityProfile =
  | { readonly kind: 'runtime-default' }
  | { readonly kind: 'unconfined' }
  /** A file of the node, or the name of a loaded profile. */
  | { readonly kind: 'localhost'; readonly reference: string }

export interface PortMapping {
  readonly protocol: 'TCP' | 'UDP' | 'SCTP'
  readonly containerPort: number
  /** 0: not mapped. */
  readonly hostPort: number
  readonly hostIp: string
}

/** Whether the groups that an image gives its user are kept (`Merge`). */
export type GroupsPolicy = 'Merge' | 'Strict'

export interface SandboxSecurity {
  readonly namespaces: Namespaces
  readonly privileged: boolean
  readonly runAsUser?: number
  readonly runAsGroup?: number
  readonly supplementalGroups: readonly number[]
  readonly groupsPolicy: GroupsPolicy
  readonly seccomp?: SecurityProfile
}

export interface ContainerSecurity {
  readonly namespaces: Namespaces
  readonly privileged: boolean
  readonly capabilities?: { readonly add: readonly string[]; readonly drop: readonly string[] }
  /** Absent: the image's user. */
  readonly runAsUser?: number
  readonly runAsUsername?: string
  readonly runAsGroup?: number
  readonly supplementalGroups: readonly number[]
  readonly groupsPolicy: GroupsPolicy
  readonly readOnlyRoot: boolean
  readonly noNewPrivileges: boolean
  /** Paths that a container does not see, or may not write. */
  readonly maskedPaths: readonly string[]
  readonly readOnlyPaths: readonly string[]
  readonly seccomp?: SecurityProfile
  readonly appArmor?: SecurityProfile
}
