/** What a node needs to have devices; loaded only where it is to have some. */
export { DRA_PLUGIN_TYPE, driverTaker, openDynamicResources } from '../dynamic-resources/open-dynamic-resources.ts'
export { serveDescribed } from './described/serve-described.ts'
export { deviceFolders } from './device-folders.ts'
export { createDeviceMetrics } from './device-metrics.ts'
export { openDevices } from './open-devices.ts'
