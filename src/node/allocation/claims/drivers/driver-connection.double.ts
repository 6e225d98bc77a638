import { onAbort, untilAborted } from '../../../../base/on-abort.ts'
import { Signal } from '../../../../base/signal.ts'
import { GrpcError } from '../../../../sdk/grpc/grpc-error.ts'
import type { ClaimReference, NodePrepareResourcesResponse, ReportedHealth } from '../../../../sdk/node-api/dra-plugin.ts'
import type { DriverConnection } from './driver-connection.ts'

/** A driver in memory: it records its calls, can hang, refuse, and be unreachable. */
export class DriverDouble {
  readonly requested: string[] = []
  /** The calls, claim by claim. */
  readonly done: { readonly method: 'prepare' | 'unprepare'; readonly claim: string }[] = []
  /** Errors by claim name. */
  readonly refuses = new Map<string, string>()
  hangs = false
  /** Returned in place of the regular response. */
  answer: NodePrepareResourcesResponse | undefined
  health: readonly ReportedHealth[] | undefined
  readonly #changed = new Signal()
  #connected = true
  #notify: ((connected: boolean) => void) | undefined

  set connected(connected: boolean) {
    this.#connected = connected
    this.#notify?.(connected)
  }

  reportHealth(...devices: readonly (readonly [device: string, health: number, seconds?: number])[]): void {
    this.health = devices.map(([deviceName, health, healthCheckTimeoutSeconds = 0]) => ({
      device: { poolName: 'node-1', deviceName },
      health,
      lastUpdatedTime: 0,
      healthCheckTimeoutSeconds,
      message: health === 2 ? 'too hot' : '',
    }))
    this.#changed.raise()
  }

  connection(endpoint = 'double.sock'): DriverConnection {
    const call = async (method: 'prepare' | 'unprepare', claims: readonly ClaimReference[], signal: AbortSignal) => {
      this.requested.push(`${method} ${claims.map((c) => c.name).join(',')}`)
      if (this.hangs) await untilAborted(signal)
      if (signal.aborted) throw new GrpcError('Canceled', 'context canceled')
      if (!this.#connected) throw new GrpcError('Unavailable', 'the driver is away')
      for (const { name } of claims) if ((this.refuses.get(name) ?? '') === '') this.done.push({ method, claim: name })
    }
    const answered = (claims: readonly ClaimReference[]) =>
      new Map(claims.map((c) => [c.uid, { error: this.refuses.get(c.name) ?? '', devices: [deviceOf(c.name)] }]))
    return {
      endpoint,
      service: 'v1.DRAPlugin',
      prepare: async (claims, signal) => {
        await call('prepare', claims, signal)
        return this.answer ?? { claims: answered(claims) }
      },
      unprepare: async (claims, signal) => {
        await call('unprepare', claims, signal)
        return { claims: answered(claims) }
      },
      health: (signal) => this.#healthStream(signal),
      watch: (notify, signal) => {
        this.#notify = notify
        onAbort(signal, () => {
          if (this.#notify === notify) this.#notify = undefined
        })
        notify(this.#connected)
      },
      [Symbol.dispose]: () => {},
    }
  }

  async *#healthStream(signal: AbortSignal) {
    if (this.health === undefined) throw new GrpcError('Unimplemented', 'no health')
    while (!signal.aborted) {
      yield this.health
      await this.#changed.wait({ signal })
    }
  }
}

const deviceOf = (claim: string) => ({
  requestNames: ['card'],
  poolName: 'node-1',
  deviceName: `of-${claim}`,
  cdiDeviceIds: [`example.com/gpu=${claim}`],
  shareId: '',
})
