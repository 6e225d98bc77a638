import { untilAborted } from '../../../base/on-abort.ts'
import { Signal } from '../../../base/signal.ts'
import { GrpcError } from '../../../sdk/grpc/grpc-error.ts'
import type { PluginDevice } from '../../../sdk/node-api/device-plugin.ts'
import type { PluginConnection } from './plugin-connection.ts'

/** A plugin in memory: it can be killed, can hang, and can change its devices. */
export class PluginDouble {
  devices: readonly PluginDevice[]
  hangs = false
  readonly requested: string[] = []
  readonly #changed = new Signal()
  #dead = false

  constructor(ids: readonly string[], sick: ReadonlySet<string> = new Set()) {
    this.devices = ids.map((id) => ({ id, health: sick.has(id) ? 'Unhealthy' : 'Healthy', topology: undefined }))
  }

  notify(ids: readonly string[], sick: ReadonlySet<string> = new Set()): void {
    this.devices = ids.map((id) => ({ id, health: sick.has(id) ? 'Unhealthy' : 'Healthy', topology: undefined }))
    this.#changed.raise()
  }

  kill(): void {
    this.#dead = true
    this.#changed.raise()
  }

  connection(endpoint = 'double.sock'): PluginConnection {
    const answer = async <T>(value: T, signal: AbortSignal): Promise<T> => {
      if (this.hangs) await untilAborted(signal)
      if (signal.aborted) throw new GrpcError('Canceled', 'context canceled')
      if (this.#dead) throw new GrpcError('Unavailable', 'the plugin is dead')
      return value
    }
    const notify = async function* (this: PluginDouble, signal: AbortSignal) {
      while (!signal.aborted) {
        if (this.#dead) throw new GrpcError('Unavailable', 'the plugin is dead')
        yield this.devices
        await this.#changed.wait({ signal })
      }
    }
    return {
      endpoint,
      options: (signal) => answer({ preStartRequired: false, getPreferredAllocationAvailable: false }, signal),
      devices: (signal) => notify.call(this, signal),
      preferred: (_, signal) => answer([], signal),
      allocate: (ids, signal) => {
        this.requested.push(...ids)
        const envs = new Map([['IDS', ids.join(',')]])
        return answer([{ envs, mounts: [], devices: [], annotations: new Map(), cdiDevices: [] }], signal)
      },
      preStart: (_, signal) => answer(undefined, signal),
      [Symbol.dispose]: () => {},
    }
  }
}
