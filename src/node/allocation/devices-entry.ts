/** Entry point of device management; loaded only if a node has devices. */

export { deviceFolders } from '../plugins/device-folders.ts'
export { DRA_PLUGIN_TYPE, driverTaker, openDynamicResources } from './claims/open-dynamic-resources.ts'
export { serveDescribed } from './devices/described/serve-described.ts'
export { createDeviceMetrics } from './devices/device-metrics.ts'
export { openDevices } from './devices/open-devices.ts'
