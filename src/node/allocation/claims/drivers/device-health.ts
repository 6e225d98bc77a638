import { HEALTH, type Health, type ReportedHealth } from '../../../../sdk/node-api/dra-plugin.ts'

/** How long a health report is valid if the driver does not say. */
const DEFAULT_HOLDS_MS = 30_000
/** Length limit of a driver's message, in characters; the kubelet's. */
const MOST_MESSAGE = 1024
/** The most devices of one driver that are followed; the others are ignored. */
export const MOST_HEALTH_ENTRIES = 10_000

interface CurrentHealth {
  readonly health: Health
  readonly message: string
  readonly holdsMs: number
  readonly atMs: number
}

/** The current health of a device. */
export interface DeviceHealth {
  readonly health: Health
  /** Empty: the driver gives none. */
  readonly message: string
}

const UNKNOWN: DeviceHealth = { health: 'Unknown', message: '' }
const keyOf = (pool: string, device: string) => `${pool}/${device}`

/** The health reports of all drivers, while they are valid. */
export class HealthBook {
  readonly #drivers = new Map<string, Map<string, CurrentHealth>>()

  /** Records a report; returns the devices (`pool/device`) whose health changed. */
  reported(driver: string, devices: readonly ReportedHealth[], nowMs: number): ReadonlySet<string> {
    const known = this.#drivers.get(driver) ?? new Map<string, CurrentHealth>()
    this.#drivers.set(driver, known)
    const changed = new Set<string>()
    for (const reported of devices) {
      const key = keyOf(reported.device?.poolName ?? '', reported.device?.deviceName ?? '')
      const before = known.get(key)
      if (before === undefined && known.size >= MOST_HEALTH_ENTRIES) continue
      const now = read(reported, nowMs)
      if (before?.health !== now.health || before.message !== now.message || before.holdsMs !== now.holdsMs) changed.add(key)
      known.set(key, now)
    }
    return changed
  }

  get(driver: string, pool: string, device: string, nowMs: number): DeviceHealth {
    const known = this.#drivers.get(driver)?.get(keyOf(pool, device))
    return known === undefined || expired(known, nowMs) ? UNKNOWN : known
  }

  /** Removes expired reports; returns the devices that they were about. */
  expire(driver: string, nowMs: number): ReadonlySet<string> {
    const known = this.#drivers.get(driver)
    const gone = new Set([...(known ?? [])].flatMap(([key, k]) => (expired(k, nowMs) ? [key] : [])))
    for (const key of gone) known?.delete(key)
    return gone
  }

  /** When the next report of a driver expires. */
  expiresAtMs(driver: string): number | undefined {
    const known = this.#drivers.get(driver)
    if (known === undefined || known.size === 0) return undefined
    return Math.min(...known.values().map((k) => k.atMs + k.holdsMs + 1))
  }

  /** Removes the reports of a driver; returns the devices that they were about. */
  clear(driver: string): ReadonlySet<string> {
    const known = this.#drivers.get(driver)
    this.#drivers.delete(driver)
    return new Set(known?.keys())
  }
}

const expired = ({ atMs, holdsMs }: CurrentHealth, nowMs: number) => nowMs - atMs > holdsMs

const read = ({ health, healthCheckTimeoutSeconds, message }: ReportedHealth, atMs: number): CurrentHealth => ({
  health: HEALTH[health] ?? 'Unknown',
  message: message.length <= MOST_MESSAGE ? message : `${message.slice(0, MOST_MESSAGE - 3)}...`,
  holdsMs: healthCheckTimeoutSeconds > 0 ? healthCheckTimeoutSeconds * 1000 : DEFAULT_HOLDS_MS,
  atMs,
})
