import type { Cluster, InnerClusterDeps } from '../cluster/cluster.ts'
import { ConfigError, isSnapshotMistake } from '../cluster/config.ts'
import { startCluster } from '../cluster/start-cluster.ts'
import { UsageError } from './report-failure.ts'
import { type UpFlags, upOptions } from './up-options.ts'

/** Starts the cluster of these flags. A mistake in a flag or its file is an error for which the command ends with 2. */
export async function startFromFlags(flags: UpFlags, deps: InnerClusterDeps): Promise<Cluster> {
  try {
    return await startCluster(await upOptions(flags), deps)
  } catch (error) {
    throw withNames(error, flags)
  }
}

/** Readers of these see the text alone; their messages begin with the flag. */
const TEXTS: Readonly<Record<string, keyof UpFlags>> = {
  '--scheduler-config': 'schedulerConfig',
  '--scheduler-policy': 'schedulerPolicy',
  '--kubelet-config': 'kubeletConfig',
  '--machine': 'machine',
}

/** The error with the flag and the file that it is about. */
function withNames(error: unknown, flags: UpFlags): unknown {
  const renamed = (message: string) => new UsageError(message, { cause: error })
  if (isSnapshotMistake(error)) return renamed(`${flags.from === undefined ? '--from-etcd-snapshot' : '--from'}: ${error.message}`)
  if (!(error instanceof ConfigError)) return error
  const [, flag = '', why = ''] = /^(--[\w-]+): (.*)$/s.exec(error.message) ?? []
  const name = TEXTS[flag]
  const file = name === undefined ? undefined : flags[name]
  return typeof file !== 'string' || why.includes(file) ? error : renamed(`${flag}: ${file}: ${why}`)
}
