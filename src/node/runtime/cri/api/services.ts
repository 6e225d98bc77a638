import { unary } from '../../../../sdk/grpc/method.ts'
import * as container from './container.ts'
import * as image from './image.ts'
import * as sandbox from './sandbox.ts'
import { Empty } from './shared.ts'
import * as status from './status.ts'

const runtime = (method: string) => `/runtime.v1.RuntimeService/${method}`
const images = (method: string) => `/runtime.v1.ImageService/${method}`

export const RUNTIME_SERVICE = {
  version: unary(runtime('Version'), status.VersionRequest, status.VersionResponse),
  status: unary(runtime('Status'), status.StatusRequest, status.StatusResponse),
  runtimeConfig: unary(runtime('RuntimeConfig'), Empty, status.RuntimeConfigResponse),
  updateRuntimeConfig: unary(runtime('UpdateRuntimeConfig'), status.UpdateRuntimeConfigRequest, Empty),

  runPodSandbox: unary(runtime('RunPodSandbox'), sandbox.RunSandboxRequest, sandbox.SandboxId),
  stopPodSandbox: unary(runtime('StopPodSandbox'), sandbox.SandboxId, Empty),
  removePodSandbox: unary(runtime('RemovePodSandbox'), sandbox.SandboxId, Empty),
  podSandboxStatus: unary(runtime('PodSandboxStatus'), sandbox.SandboxStatusRequest, sandbox.SandboxStatusResponse),
  listPodSandbox: unary(runtime('ListPodSandbox'), sandbox.ListSandboxesRequest, sandbox.ListSandboxesResponse),
  listPodSandboxStats: unary(runtime('ListPodSandboxStats'), sandbox.ListSandboxStatsRequest, sandbox.ListSandboxStatsResponse),

  updatePodSandboxResources: unary(runtime('UpdatePodSandboxResources'), sandbox.UpdateSandboxRequest, Empty),

  createContainer: unary(runtime('CreateContainer'), container.CreateContainerRequest, container.ContainerId),
  startContainer: unary(runtime('StartContainer'), container.ContainerId, Empty),
  stopContainer: unary(runtime('StopContainer'), container.StopContainerRequest, Empty),
  removeContainer: unary(runtime('RemoveContainer'), container.ContainerId, Empty),
  listContainers: unary(runtime('ListContainers'), container.ListContainersRequest, container.ListContainersResponse),
  containerStatus: unary(runtime('ContainerStatus'), container.ContainerStatusRequest, container.ContainerStatusResponse),
  updateContainerResources: unary(runtime('UpdateContainerResources'), container.UpdateResourcesRequest, Empty),
  reopenContainerLog: unary(runtime('ReopenContainerLog'), container.ContainerId, Empty),
  listContainerStats: unary(runtime('ListContainerStats'), container.ListStatsRequest, container.ListStatsResponse),
  checkpointContainer: unary(runtime('CheckpointContainer'), container.CheckpointRequest, Empty),

  execSync: unary(runtime('ExecSync'), container.ExecSyncRequest, container.ExecSyncResponse),
  exec: unary(runtime('Exec'), container.ExecRequest, container.StreamUrl),
  attach: unary(runtime('Attach'), container.AttachRequest, container.StreamUrl),
  portForward: unary(runtime('PortForward'), container.PortForwardRequest, container.StreamUrl),
} as const

export const IMAGE_SERVICE = {
  listImages: unary(images('ListImages'), image.ImageRequest, image.ListImagesResponse),
  imageStatus: unary(images('ImageStatus'), image.ImageRequest, image.ImageStatusResponse),
  pullImage: unary(images('PullImage'), image.PullImageRequest, image.PullImageResponse),
  removeImage: unary(images('RemoveImage'), image.ImageRequest, Empty),
  imageFsInfo: unary(images('ImageFsInfo'), Empty, image.ImageFsInfoResponse),
} as const
