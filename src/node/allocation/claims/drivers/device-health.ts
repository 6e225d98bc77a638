import { HEALTH, type Health, type ToldHealth } from '../../../../sdk/node-api/dra-plugin.ts'

/** How long what a driver has told of a device holds, if it does not say. */
const DEFAULT_HOLDS_MS = 30_000
/** Of a driver's message; the kubelet's. */
const MOST_MESSAGE = 1024
/** Devices of one driver that are followed; the others are left out. */
export const MOST_HEALTH_ENTRIES = 10_000

interface KnownHealth {
  readonly health: Health
  readonly message: string
  readonly holdsMs: number
  readonly atMs: number
}

/** How a device is now. */
export interface DeviceHealth {
  readonly health: Health
  /** Empty: the driver says nothing. */
  readonly message: string
}

const UNKNOWN: DeviceHealth = { health: 'Unknown', message: '' }
const keyOf = (pool: string, device: string) => `${pool}/${device}`

/** What drivers have told of their devices, as long as it holds. */
export class HealthBook {
  readonly #drivers = new Map<string, Map<string, KnownHealth>>()

  /** Takes what a driver tells; the devices (`pool/device`) that are otherwise than they were. */
  told(driver: string, devices: readonly ToldHealth[], nowMs: number): ReadonlySet<string> {
    const known = this.#drivers.get(driver) ?? new Map<string, KnownHealth>()
    this.#drivers.set(driver, known)
    const changed = new Set<string>()
    for (const told of devices) {
      const key = keyOf(told.device?.poolName ?? '', told.device?.deviceName ?? '')
      const before = known.get(key)
      if (before === undefined && known.size >= MOST_HEALTH_ENTRIES) continue
      const now = read(told, nowMs)
      if (before?.health !== now.health || before.message !== now.message || before.holdsMs !== now.holdsMs) changed.add(key)
      known.set(key, now)
    }
    return changed
  }

  get(driver: string, pool: string, device: string, nowMs: number): DeviceHealth {
    const known = this.#drivers.get(driver)?.get(keyOf(pool, device))
    return known === undefined || expired(known, nowMs) ? UNKNOWN : known
  }

  /** Forgets what is too old; the devices that it was about. */
  expire(driver: string, nowMs: number): ReadonlySet<string> {
    const known = this.#drivers.get(driver)
    const gone = new Set([...(known ?? [])].flatMap(([key, k]) => (expired(k, nowMs) ? [key] : [])))
    for (const key of gone) known?.delete(key)
    return gone
  }

  /** When the first of what a driver has told does not hold any more. */
  expiresAtMs(driver: string): number | undefined {
    const known = this.#drivers.get(driver)
    if (known === undefined || known.size === 0) return undefined
    return Math.min(...known.values().map((k) => k.atMs + k.holdsMs + 1))
  }

  /** Forgets a driver; the devices that it told of. */
  clear(driver: string): ReadonlySet<string> {
    const known = this.#drivers.get(driver)
    this.#drivers.delete(driver)
    return new Set(known?.keys())
  }
}

const expired = ({ atMs, holdsMs }: KnownHealth, nowMs: number) => nowMs - atMs > holdsMs

const read = ({ health, healthCheckTimeoutSeconds, message }: ToldHealth, atMs: number): KnownHealth => ({
  health: HEALTH[health] ?? 'Unknown',
  message: message.length <= MOST_MESSAGE ? message : `${message.slice(0, MOST_MESSAGE - 3)}...`,
  holdsMs: healthCheckTimeoutSeconds > 0 ? healthCheckTimeoutSeconds * 1000 : DEFAULT_HOLDS_MS,
  atMs,
})
