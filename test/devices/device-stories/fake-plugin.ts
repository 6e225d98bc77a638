import path from 'node:path'
import { systemClock } from '../../../src/base/clock.ts'
import { Signal } from '../../../src/base/signal.ts'
import { connectUnix } from '../../../src/sdk/grpc/connect-unix.ts'
import { answer, serveUnix, tell } from '../../../src/sdk/grpc/serve-unix.ts'
import { DEVICE_PLUGIN, type PluginDevice, REGISTRATION } from '../../../src/sdk/node-api/device-plugin.ts'

/** A call of the plugin, as recorded. */
export interface PluginCall {
  readonly call: string
  readonly arg?: unknown
}

/** The plugin of the recording: it prefers the last device, and records its calls. */
export class FakePlugin {
  readonly calls: PluginCall[] = []
  devices: readonly PluginDevice[]
  failAllocate: string | undefined
  failPreStart: string | undefined
  readonly #folder: string
  readonly #endpoint: string
  readonly #changed = new Set<Signal>()
  #server: AsyncDisposable | undefined

  constructor(folder: string, devices: readonly PluginDevice[], endpoint = 'fake.sock') {
    this.#folder = folder
    this.#endpoint = endpoint
    this.devices = devices
  }

  async serve(): Promise<void> {
    const empty = { envs: new Map(), annotations: new Map(), mounts: [], devices: [], cdiDevices: [] }
    this.#server = await serveUnix(
      path.join(this.#folder, this.#endpoint),
      [
        answer(DEVICE_PLUGIN.getDevicePluginOptions, () => {
          this.calls.push({ call: 'GetDevicePluginOptions' })
          return { preStartRequired: true, getPreferredAllocationAvailable: true }
        }),
        tell(DEVICE_PLUGIN.listAndWatch, (_, signal) => this.#notify(signal)),
        answer(DEVICE_PLUGIN.getPreferredAllocation, ({ containers }) => {
          const requests = containers.map((c) => ({ available_deviceIDs: c.availableIds, allocation_size: c.size }))
          this.calls.push({ call: 'GetPreferredAllocation', arg: { container_requests: requests } })
          return { containers: containers.map((c) => ({ ids: c.availableIds.slice(-c.size) })) }
        }),
        answer(DEVICE_PLUGIN.allocate, ({ containers }) => {
          if (this.failAllocate !== undefined) throw new Error(this.failAllocate)
          this.calls.push({ call: 'Allocate', arg: { container_requests: containers.map((c) => ({ devices_ids: c.ids })) } })
          const given = containers.map(({ ids }) => ({
            ...empty,
            envs: new Map([['DONGLES', `${ids.join(',')},`]]),
            mounts: [{ containerPath: '/dongle', hostPath: '/srv/dongle', readOnly: true }],
            devices: [{ containerPath: '/dev/dongle', hostPath: '/dev/null', permissions: 'rw' }],
            annotations: new Map([['example.com/dongles', `${ids.join(',')},`]]),
            cdiDevices: [{ name: `example.com/dongle=${ids[0]}` }],
          }))
          return { containers: given }
        }),
        answer(DEVICE_PLUGIN.preStartContainer, ({ ids }) => {
          if (this.failPreStart !== undefined) throw new Error(this.failPreStart)
          this.calls.push({ call: 'PreStartContainer', arg: { devices_ids: ids } })
          return {}
        }),
      ],
      { clock: systemClock },
    )
  }

  async *#notify(signal: AbortSignal) {
    this.calls.push({ call: 'ListAndWatch' })
    const changed = new Signal()
    this.#changed.add(changed)
    while (!signal.aborted) {
      yield { devices: this.devices }
      await changed.wait({ signal })
    }
    this.#changed.delete(changed)
    this.calls.push({ call: 'ListAndWatch ended' })
  }

  /** Reports these devices from now on. */
  change(devices: readonly PluginDevice[]): void {
    this.devices = devices
    for (const changed of this.#changed) changed.raise()
  }

  /** Rejects with the node's message. */
  async register(resourceName = 'example.com/dongle', version = 'v1beta1', endpoint = this.#endpoint): Promise<void> {
    using node = await connectUnix(path.join(this.#folder, 'kubelet.sock'), { clock: systemClock })
    const options = { preStartRequired: true, getPreferredAllocationAvailable: true }
    const limits = { signal: new AbortController().signal, timeoutMs: 10_000 }
    await node.call(REGISTRATION.register, { version, endpoint, resourceName, options }, limits)
    this.calls.push({ call: 'Register' })
  }

  async stop(): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]()
    this.#server = undefined
  }
}

export const healthy = (...ids: readonly string[]): readonly PluginDevice[] =>
  ids.map((id) => ({ id, health: 'Healthy', topology: undefined }))
export const sick = (...ids: readonly string[]): readonly PluginDevice[] =>
  ids.map((id) => ({ id, health: 'Unhealthy', topology: undefined }))
