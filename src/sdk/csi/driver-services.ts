import { GrpcError } from '../grpc/grpc-error.ts'
import { answer } from '../grpc/serve-unix.ts'
import { CONTROLLER_CAPABILITY, CreatedVolume, CSI_CONTROLLER } from './controller-service.ts'
import type { CsiControllerPart, CsiNodePart, CsiStorageDriver, VolumeToCreate } from './csi-driver.ts'
import { CSI_IDENTITY, PLUGIN_EXPANSION, PLUGIN_SERVICE } from './identity.ts'
import { CSI_NODE, NODE_CAPABILITY, NodeInfo, USAGE_UNIT } from './node-service.ts'
import { type ServiceCapability, VolumeCapability } from './volume.ts'

/** The gRPC services of a driver. What the interface asks of every driver, missing arguments for one, is checked here. */
export function driverServices(driver: CsiStorageDriver) {
  return [
    ...identityServices(driver),
    ...(driver.controller === undefined ? [] : controllerServices(driver.controller)),
    ...(driver.node === undefined ? [] : nodeServices(driver.node)),
  ]
}

function identityServices({ name, version, controller, topology }: CsiStorageDriver) {
  const services = [
    ...(controller === undefined ? [] : [PLUGIN_SERVICE.controller]),
    ...(topology === true ? [PLUGIN_SERVICE.accessibilityConstraints] : []),
  ]
  const capabilities = [
    ...services.map((type) => ({ service: { type }, volumeExpansion: undefined })),
    ...(controller?.expand === undefined ? [] : [{ service: undefined, volumeExpansion: { type: PLUGIN_EXPANSION.online } }]),
  ]
  return [
    answer(CSI_IDENTITY.getPluginInfo, () => ({ name, vendorVersion: version, manifest: new Map() })),
    answer(CSI_IDENTITY.getPluginCapabilities, () => ({ capabilities })),
    answer(CSI_IDENTITY.probe, () => ({ ready: { value: true } })),
  ]
}

function controllerServices(controller: CsiControllerPart) {
  const { attach, detach, expand, list, capacity } = controller
  const { createDeleteVolume, publishUnpublishVolume, expandVolume, listVolumes, getCapacity, singleNodeMultiWriter } =
    CONTROLLER_CAPABILITY
  const capabilities = rpcs([
    createDeleteVolume,
    singleNodeMultiWriter,
    ...(attach === undefined ? [] : [publishUnpublishVolume]),
    ...(expand === undefined ? [] : [expandVolume]),
    ...(list === undefined ? [] : [listVolumes]),
    ...(capacity === undefined ? [] : [getCapacity]),
  ])
  const found = async (volumeId: string) => {
    required({ volumeId })
    if (!(await controller.exists(volumeId))) throw new GrpcError('NotFound', `there is no volume ${volumeId}`)
  }
  return [
    answer(CSI_CONTROLLER.capabilities, () => ({ capabilities })),
    answer(CSI_CONTROLLER.create, async (request) => {
      checkCreation(request)
      return { volume: CreatedVolume.of(await controller.create(request)) }
    }),
    answer(CSI_CONTROLLER.delete, async ({ volumeId }) => {
      required({ volumeId })
      await controller.delete(volumeId)
      return {}
    }),
    answer(CSI_CONTROLLER.validate, async ({ volumeId, volumeContext, volumeCapabilities, parameters }) => {
      await found(volumeId)
      required({ volumeCapabilities: volumeCapabilities.length })
      return { confirmed: { volumeContext, volumeCapabilities, parameters }, message: '' }
    }),
    ...(attach === undefined
      ? []
      : [
          answer(CSI_CONTROLLER.publish, async ({ volumeId, nodeId, volumeCapability }) => {
            required({ volumeId, nodeId, volumeCapability })
            await found(volumeId)
            return { publishContext: await attach.call(controller, volumeId, nodeId) }
          }),
          answer(CSI_CONTROLLER.unpublish, async ({ volumeId, nodeId }) => {
            required({ volumeId })
            await detach?.call(controller, volumeId, nodeId)
            return {}
          }),
        ]),
    ...(expand === undefined
      ? []
      : [
          answer(CSI_CONTROLLER.expand, async ({ volumeId, capacityRange, secrets }) => {
            required({ volumeId, capacityRange })
            await found(volumeId)
            const grown = await expand.call(controller, { volumeId, requiredBytes: capacityRange?.requiredBytes ?? 0, secrets })
            return { capacityBytes: grown.capacityBytes, nodeExpansionRequired: grown.byNode }
          }),
        ]),
    ...(capacity === undefined
      ? []
      : [
          answer(CSI_CONTROLLER.capacity, async (request) => ({
            availableCapacity: await capacity.call(controller, request),
            maximumVolumeSize: undefined,
            minimumVolumeSize: undefined,
          })),
        ]),
    ...(list === undefined
      ? []
      : [
          answer(CSI_CONTROLLER.list, async ({ maxEntries, startingToken }) => {
            const from = startingToken === '' ? 0 : Number(startingToken)
            const all = await list.call(controller)
            if (!Number.isSafeInteger(from) || from < 0 || from > all.length)
              throw new GrpcError('Aborted', `the token ${JSON.stringify(startingToken)} is none of this driver's`)
            const to = maxEntries > 0 ? Math.min(from + maxEntries, all.length) : all.length
            return {
              entries: all.slice(from, to).map((volume) => ({ volume: CreatedVolume.of(volume) })),
              nextToken: to < all.length ? String(to) : '',
            }
          }),
        ]),
  ]
}

function checkCreation({ name, volumeCapabilities }: VolumeToCreate): void {
  required({ name, volumeCapabilities: volumeCapabilities.length })
  for (const { block, mount } of volumeCapabilities)
    if (block === undefined && mount === undefined)
      throw new GrpcError('InvalidArgument', 'a capability is neither a device nor a file system')
}

function nodeServices(node: CsiNodePart) {
  const { stage, unstage, expand, stats } = node
  const { stageUnstageVolume, expandVolume, getVolumeStats, singleNodeMultiWriter } = NODE_CAPABILITY
  const capabilities = rpcs([
    singleNodeMultiWriter,
    ...(stage === undefined ? [] : [stageUnstageVolume]),
    ...(expand === undefined ? [] : [expandVolume]),
    ...(stats === undefined ? [] : [getVolumeStats]),
  ])
  return [
    answer(CSI_NODE.info, async () => NodeInfo.of(await node.info())),
    answer(CSI_NODE.capabilities, () => ({ capabilities })),
    answer(CSI_NODE.publish, async ({ volumeCapability, stagingTargetPath: stagingPath, readonly: readOnly, ...request }) => {
      required({ volumeId: request.volumeId, targetPath: request.targetPath, volumeCapability })
      await node.publish({ ...request, stagingPath, readOnly, capability: volumeCapability ?? VolumeCapability.of({}) })
      return {}
    }),
    answer(CSI_NODE.unpublish, async ({ volumeId, targetPath }) => {
      required({ volumeId, targetPath })
      await node.unpublish(volumeId, targetPath)
      return {}
    }),
    ...(stage === undefined
      ? []
      : [
          answer(CSI_NODE.stage, async ({ volumeCapability, stagingTargetPath: stagingPath, ...request }) => {
            required({ volumeId: request.volumeId, stagingPath, volumeCapability })
            await stage.call(node, { ...request, stagingPath, capability: volumeCapability ?? VolumeCapability.of({}) })
            return {}
          }),
          answer(CSI_NODE.unstage, async ({ volumeId, stagingTargetPath }) => {
            required({ volumeId, stagingTargetPath })
            await unstage?.call(node, volumeId, stagingTargetPath)
            return {}
          }),
        ]),
    ...(expand === undefined
      ? []
      : [
          answer(CSI_NODE.expand, async ({ volumeId, volumePath: path, capacityRange, secrets }) => {
            required({ volumeId, path })
            const requiredBytes = capacityRange?.requiredBytes ?? 0
            await expand.call(node, { volumeId, path, requiredBytes, secrets })
            return { capacityBytes: requiredBytes }
          }),
        ]),
    ...(stats === undefined
      ? []
      : [
          answer(CSI_NODE.stats, async ({ volumeId, volumePath }) => {
            required({ volumeId, volumePath })
            const { bytes, inodes } = await stats.call(node, volumeId, volumePath)
            const usage = [{ ...bytes, unit: USAGE_UNIT.bytes }, ...(inodes === undefined ? [] : [{ ...inodes, unit: USAGE_UNIT.inodes }])]
            return { usage, volumeCondition: undefined }
          }),
        ]),
  ]
}

const rpcs = (types: readonly number[]): readonly ServiceCapability[] => types.map((type) => ({ rpc: { type } }))

/** Throws the error that the interface asks for where an argument is missing. */
function required(given: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(given))
    if (value === undefined || value === '' || value === 0) throw new GrpcError('InvalidArgument', `${name} is missing`)
}
