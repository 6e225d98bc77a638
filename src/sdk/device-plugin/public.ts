/** `bowsprit/device-plugin`: a device plugin in thirty lines, for a kubelet or for Bowsprit's nodes. */
export type { DeviceChoice, DeviceGrant, DevicePlugin, OfferedDevice } from './device-plugin.ts'
export { type ServeDevicePluginOptions, type ServedDevicePlugin, serveDevicePlugin } from './serve-device-plugin.ts'
