import type { Clock } from '../../base/clock.ts'
import { Signal } from '../../base/signal.ts'
import { tell } from '../grpc/serve-unix.ts'
import { DRA_HEALTH, HEALTH, type ReportedHealth } from '../node-api/dra-plugin.ts'
import type { DevicePool } from './dra-driver.ts'

/** A report is valid for half a minute: it is repeated in time. */
const REPEAT_MS = 10_000

/** How the devices of a driver are, for all nodes that listen. */
export class HealthTeller {
  readonly #clock: Clock
  readonly #listeners = new Set<Signal>()
  #devices: readonly ReportedHealth[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  tell(pools: ReadonlyMap<string, DevicePool>): void {
    const now = Math.floor(this.#clock.now() / 1000)
    const reported = [...pools].flatMap(([poolName, { devices }]) =>
      devices.flatMap(({ name, healthy, message = '' }) =>
        healthy === undefined ? [] : [healthOf(poolName, name, healthy ? 'Healthy' : 'Unhealthy', message, now)],
      ),
    )
    const shape = (all: readonly ReportedHealth[]) => JSON.stringify(all.map((d) => [d.device, d.health, d.message]))
    const changed = shape(reported) !== shape(this.#devices)
    this.#devices = reported
    if (changed) this.#raise()
  }

  /** Nothing is known any more. */
  fail(): void {
    this.#devices = this.#devices.map((d) => ({ ...d, health: HEALTH.indexOf('Unknown'), message: '' }))
    this.#raise()
  }

  get service() {
    return tell(DRA_HEALTH.watch, (_, signal) => this.#listen(signal))
  }

  #raise(): void {
    for (const listener of this.#listeners) listener.raise()
  }

  async *#listen(signal: AbortSignal) {
    const changed = new Signal()
    this.#listeners.add(changed)
    try {
      while (!signal.aborted) {
        yield { devices: this.#devices }
        await changed.wait({ clock: this.#clock, untilMs: this.#clock.now() + REPEAT_MS, signal })
      }
    } finally {
      this.#listeners.delete(changed)
    }
  }
}

const healthOf = (poolName: string, deviceName: string, health: 'Healthy' | 'Unhealthy', message: string, now: number): ReportedHealth => ({
  device: { poolName, deviceName },
  health: HEALTH.indexOf(health),
  lastUpdatedTime: now,
  healthCheckTimeoutSeconds: 0,
  message,
})
