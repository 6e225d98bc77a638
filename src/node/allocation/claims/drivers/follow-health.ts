import type { Clock } from '../../../../base/clock.ts'
import type { Logger } from '../../../../base/logger.ts'
import { pause } from '../../../../base/pause.ts'
import { GrpcError } from '../../../../sdk/grpc/grpc-error.ts'
import { FloodGate } from '../../../plugins/flood-gate.ts'
import { type HealthBook, MOST_HEALTH_ENTRIES } from './device-health.ts'
import type { DriverConnection } from './driver-connection.ts'

export interface FollowHealthDeps {
  readonly driver: string
  readonly connection: DriverConnection
  readonly book: HealthBook
  readonly clock: Clock
  readonly log: Logger
  /** The health of these devices (`pool/device`) changed. */
  readonly changed: (devices: ReadonlySet<string>) => void
  /** Reports a problem of the driver as an event. */
  readonly notify: (reason: string, message: string) => void
}

/** Delay before a driver is called again, as the kubelet's. */
const AGAIN_MS = 5_000

/**
 * Records a driver's health reports. A report expires after its timeout, or when the driver is unreachable. Ends with the signal, or if the
 * driver does not implement the call; never rejects.
 */
export async function followHealth(deps: FollowHealthDeps, signal: AbortSignal): Promise<void> {
  const { driver, connection, book, clock, log } = deps
  while (!signal.aborted) {
    let cancel = () => {}
    const expireLater = () => {
      cancel()
      const atMs = book.expiresAtMs(driver)
      if (atMs !== undefined)
        cancel = clock.after(Math.max(1, atMs - clock.now()), () => {
          deps.changed(book.expire(driver, clock.now()))
          expireLater()
        })
    }
    try {
      await readAll(deps, expireLater, signal)
    } catch (error) {
      if (error instanceof GrpcError && error.code === 'Unimplemented') return
      if (!signal.aborted) log.info(`the driver ${driver} at ${connection.endpoint} does not tell how its devices are`, { error })
    } finally {
      cancel()
      deps.changed(book.clear(driver))
    }
    await pause(clock, AGAIN_MS, signal)
  }
}

async function readAll(
  { driver, connection, book, clock, changed, notify }: FollowHealthDeps,
  read: () => void,
  signal: AbortSignal,
): Promise<void> {
  const gate = new FloodGate(clock)
  let many = false
  for await (const devices of connection.health(signal)) {
    if (devices.length > MOST_HEALTH_ENTRIES && !many) {
      many = true
      notify(
        'DRADriverFloods',
        `the driver ${driver} tells of ${devices.length} devices: more than ${MOST_HEALTH_ENTRIES} are not followed`,
      )
    }
    changed(book.reported(driver, devices, clock.now()))
    read()
    if (gate.flooded()) notify('DRADriverFloods', `the driver ${driver} tells how its devices are more often than that can be looked at`)
    await gate.pass(signal)
  }
}
