import type { Clock } from '../../base/clock.ts'
import { pause } from '../../base/pause.ts'
import { GrpcError } from '../../sdk/grpc/grpc-error.ts'
import { EtcdConnection, type EtcdMembers } from './etcd-connection.ts'
import { nothing } from './messages.ts'
import { STATUS } from './methods.ts'

export interface FollowSizeConfig extends EtcdMembers {
  readonly intervalMs: number
}

export interface FollowSizeDeps {
  readonly clock: Clock
  /** The bytes of etcd's database on disk; undefined: it did not respond. */
  readonly report: (sizeBytes: number | undefined) => void
}

/** How long one question may take, as in kube-apiserver. */
const TIMEOUT_MS = 1000

/** Asks etcd at each interval how large it is, from now on until the signal is aborted. */
export async function followSize({ intervalMs, ...members }: FollowSizeConfig, deps: FollowSizeDeps, signal: AbortSignal): Promise<void> {
  const { clock, report } = deps
  using connection = new EtcdConnection(members, { clock })
  while (!signal.aborted) {
    report(await sizeOf(connection))
    await pause(clock, intervalMs, signal)
  }
}

async function sizeOf(connection: EtcdConnection): Promise<number | undefined> {
  try {
    return (await connection.call(STATUS, nothing.of({}), { timeoutMs: TIMEOUT_MS, repeatable: true })).dbSize
  } catch (error) {
    if (error instanceof GrpcError) return undefined
    throw error
  }
}
