import { CommonValues } from '../../../base/collections/common-values.ts'
import type { ContainerSpec, PodRef, SandboxSpec } from '../container-spec.ts'

/** Containers of one template differ mainly in their names: equal parts of their specs are shared by all nodes of the process. */
export const COMMON = new CommonValues()

export const commonSandbox = (spec: SandboxSpec): SandboxSpec => ({
  ...spec,
  dns: COMMON.of(spec.dns),
  labels: COMMON.of(spec.labels),
  annotations: COMMON.of(spec.annotations),
})

/** `pod`: the reference that the sandbox has already. */
export const commonContainer = (spec: ContainerSpec, pod: PodRef): ContainerSpec => ({
  ...spec,
  pod,
  image: COMMON.of(spec.image),
  imageId: COMMON.of(spec.imageId),
  command: COMMON.of(spec.command),
  args: COMMON.of(spec.args),
  environment: COMMON.of(spec.environment),
  mounts: COMMON.of(spec.mounts),
  devices: COMMON.of(spec.devices),
  cdiDevices: COMMON.of(spec.cdiDevices),
  annotations: COMMON.of(spec.annotations),
  resources: COMMON.of(spec.resources),
  user: COMMON.of(spec.user),
})
