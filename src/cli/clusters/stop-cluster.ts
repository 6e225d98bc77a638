import type { Clock } from '../../base/clock.ts'
import type { ClusterRecord } from './cluster-record.ts'
import { isSameProcess } from './process-start.ts'

/** A cluster that saves a large snapshot on exit needs a while. */
const PATIENCE_MS = 60_000
const LOOK_MS = 50

/** Asks the cluster's process to stop, as Ctrl-C does, and waits until it has. */
export async function stopCluster({ name, pid, processStart }: ClusterRecord, clock: Clock): Promise<void> {
  process.kill(pid, 'SIGTERM')
  for (let waited = 0; isSameProcess(pid, processStart); waited += LOOK_MS) {
    if (waited >= PATIENCE_MS) throw new Error(`${name} (process ${pid}) has not stopped within ${PATIENCE_MS / 1000} s`)
    await clock.sleep(LOOK_MS)
  }
}
