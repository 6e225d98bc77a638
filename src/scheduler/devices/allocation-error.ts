/**
 * Why devices cannot be allocated on any node; the message is Kubernetes'.
 * - `too-many-devices`: the requests of a claim exceed its limit.
 * - `pool-not-ready`: a request asks for all devices while a resource pool is being updated or invalid.
 * - `constraint`: all devices are requested, and one of them violates a constraint of the claim.
 * - `selector`: a CEL selector failed at run time.
 */
export class DeviceAllocationError extends Error {
  override readonly name = 'DeviceAllocationError'
  readonly code: 'too-many-devices' | 'pool-not-ready' | 'constraint' | 'selector'

  constructor(code: DeviceAllocationError['code'], message: string) {
    super(message)
    this.code = code
  }
}
