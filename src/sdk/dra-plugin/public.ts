/** `bowsprit/dra-plugin`: a driver of dynamic resource allocation in thirty lines, for a kubelet or for Bowsprit's nodes. */
export type {
  ClaimedDevice,
  ClaimIdentity,
  ClaimToPrepare,
  DeviceAttribute,
  DevicePool,
  DiscoveredDevices,
  DraDevice,
  DraDriver,
  ReadyDevice,
} from './dra-driver.ts'
export { type ServeDraDriverOptions, type ServedDraDriver, serveDraDriver } from './serve-dra-driver.ts'
