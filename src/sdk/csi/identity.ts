import { bool, int, many, message, one, text, textMap } from '../../machinery/protobuf/plain-message.ts'
import { unary } from '../grpc/method.ts'
import { Empty } from './volume.ts'

const PluginInfo = message({ name: text(1), vendorVersion: text(2), manifest: textMap(3) })
const Typed = message({ type: int(1) })
const PluginCapability = message({ service: one(1, Typed), volumeExpansion: one(2, Typed) })
const PluginCapabilities = message({ capabilities: many(1, PluginCapability) })
/** `google.protobuf.BoolValue`. */
const BoolValue = message({ value: bool(1) })
const ProbeResponse = message({ ready: one(1, BoolValue) })

/** Services that a driver has beside that of its nodes. */
export const PLUGIN_SERVICE = { controller: 1, accessibilityConstraints: 2 } as const
/** Whether a volume can grow while it is in use. */
export const PLUGIN_EXPANSION = { online: 1, offline: 2 } as const

/** `csi.v1.Identity`: every CSI driver serves it. */
export const CSI_IDENTITY = {
  getPluginInfo: unary('/csi.v1.Identity/GetPluginInfo', Empty, PluginInfo),
  getPluginCapabilities: unary('/csi.v1.Identity/GetPluginCapabilities', Empty, PluginCapabilities),
  probe: unary('/csi.v1.Identity/Probe', Empty, ProbeResponse),
} as const
