import { readdirSync } from 'node:fs'
import path from 'node:path'
import { type Clock, holding } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { PodNetworks } from '../../node/cni/pod-networks.ts'
import type { DnsHost } from '../../node/pod/spec/pod-dns.ts'
import type { RecordedEvent } from '../../sdk/controller/event-recorder.ts'
import { type ClusterConfig, ConfigError } from '../config.ts'

/** The networks of pods that plugins make on this machine, by node. */
export interface PodNetworkSetup {
  open(nodeName: string, host: DnsHost, record: (event: RecordedEvent) => void): Promise<PodNetworks>
  /** Why pods get none now. */
  fault(): Promise<string | undefined>
  /** Takes away those of a node whose cluster ends for good. */
  close(networks: PodNetworks): Promise<void>
}

/** Of clusters in memory: a folder for each process. */
const RECORDS = '/var/lib/cni/bowsprit'

/** Undefined: pods have addresses in memory. @throws {ConfigError} */
export async function podNetworkSetup(
  { cniConfDir, cniBinDir, dataDir }: ClusterConfig,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): Promise<PodNetworkSetup | undefined> {
  if (cniConfDir === undefined) return undefined
  if (process.platform !== 'linux' || process.getuid?.() !== 0) throw new ConfigError('--cni-conf-dir: network plugins need Linux and root')
  const load = () => import('../../node/cni/pod-networks.ts')
  const { PodNetworks: Networks, networkFault } = await holding(clock, 'loading what calls network plugins', load)
  const given = { configFolder: cniConfDir, path: [cniBinDir], log }
  const own = dataDir === undefined ? path.join(RECORDS, String(process.pid)) : path.join(dataDir, 'cni')
  let cleared: Promise<void> | undefined
  const clear = async () => {
    for (const records of dataDir === undefined ? abandoned() : []) await new Networks({ ...given, records }).removeAll()
  }
  return {
    async open(nodeName, host, record) {
      // Only the thread of the nodes does it.
      cleared ??= clear()
      await cleared
      return new Networks({ ...given, records: path.join(own, nodeName), host, record })
    },
    fault: () => networkFault({ ...given, records: own }),
    async close(networks) {
      if (dataDir === undefined) await networks.removeAll()
    },
  }
}

/** The folders of clusters whose process was killed. */
function abandoned(): readonly string[] {
  const alive = (pid: string) => {
    try {
      return process.kill(Number(pid), 0)
    } catch {
      return false
    }
  }
  const list = (folder: string) => {
    try {
      return readdirSync(folder)
    } catch {
      return []
    }
  }
  return list(RECORDS)
    .filter((pid) => !alive(pid))
    .flatMap((pid) => list(path.join(RECORDS, pid)).map((node) => path.join(RECORDS, pid, node)))
}
