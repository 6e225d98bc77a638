import { bool, type MessageOf, message, text, texts } from '../../machinery/protobuf/plain-message.ts'
import { unary } from '../grpc/method.ts'

/** `pluginregistration/v1`: what a plugin serves on a socket in `plugins_registry`, so that the node finds it. */
export const PluginInfo = message({ type: text(1), name: text(2), endpoint: text(3), supportedVersions: texts(4) })
/** `type` is `DevicePlugin`, `DRAPlugin` or `CSIPlugin`; without an `endpoint` the plugin serves on the same socket. */
export type PluginInfo = MessageOf<typeof PluginInfo>

export const RegistrationStatus = message({ pluginRegistered: bool(1), error: text(2) })

const Nothing = message<Record<never, never>>({})

/** Served by plugins. */
export const PLUGIN_REGISTRATION = {
  getInfo: unary('/pluginregistration.Registration/GetInfo', Nothing, PluginInfo),
  notifyRegistrationStatus: unary('/pluginregistration.Registration/NotifyRegistrationStatus', RegistrationStatus, Nothing),
} as const
