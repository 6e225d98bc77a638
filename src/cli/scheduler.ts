import { readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Command } from 'commander'
import { encodeYaml } from '../machinery/yaml.ts'
import { type CompleteConfiguration, writtenConfiguration } from '../scheduler/config/complete.ts'
import { profilesOf, readConfiguration } from '../scheduler/config/configuration.ts'
import { runScheduler } from '../scheduler/run-scheduler.ts'
import { stderrLogger } from './stderr-logger.ts'

interface SchedulerFlags {
  readonly config?: string
  readonly kubeconfig?: string
  readonly schedulerName?: string
  readonly leaderElect?: boolean
  readonly writeConfigTo?: string
  readonly verbose?: boolean
}

/** `bowsprit scheduler`: a scheduler as a process of its own, against Bowsprit or any other cluster. */
export function schedulerCommand(): Command {
  return new Command('scheduler')
    .description('run a scheduler as a process of its own, against any cluster, until Ctrl-C')
    .option('--config <file>', 'a KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1)')
    .option('--kubeconfig <file>', 'the cluster (default: clientConnection.kubeconfig of the configuration)')
    .option('--scheduler-name <name>', 'without --config: the pods that it takes (default: default-scheduler)')
    .option('--leader-elect', 'schedule only while holding the lease, whatever the configuration says')
    .option('--no-leader-elect', 'schedule at once, whatever the configuration says')
    .option('--write-config-to <file>', 'write the configuration with its defaults, and end')
    .option('-v, --verbose', 'log everything to standard error, not only what went wrong')
    .action(schedule)
}

async function schedule(flags: SchedulerFlags): Promise<void> {
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => stop.abort())
  try {
    const configuration = configurationOf(flags)
    if (flags.writeConfigTo !== undefined) {
      profilesOf(configuration, { random: { int: () => 0 } })
      writeFileSync(flags.writeConfigTo, encodeYaml(writtenConfiguration(configuration)))
      return
    }
    checkKubeconfig(configuration.clientConnection.kubeconfig)
    const folder = flags.config === undefined ? process.cwd() : path.dirname(path.resolve(flags.config))
    console.log(`scheduling pods of ${configuration.profiles.map((p) => p.schedulerName).join(', ')}`)
    await runScheduler(configuration, stderrLogger(flags.verbose === true ? 'debug' : 'warn'), stop.signal, folder)
  } catch (error) {
    console.error(`bowsprit scheduler: ${error instanceof Error ? error.message : String(error)}`)
    process.exitCode = 1
  }
}

function configurationOf(flags: SchedulerFlags): CompleteConfiguration {
  const profiles = flags.schedulerName === undefined ? {} : { profiles: [{ schedulerName: flags.schedulerName }] }
  const read = readConfiguration(flags.config === undefined ? profiles : readFileSync(flags.config, 'utf8'))
  const { leaderElection, clientConnection } = read
  return {
    ...read,
    leaderElection: { ...leaderElection, leaderElect: flags.leaderElect ?? leaderElection.leaderElect },
    clientConnection: { ...clientConnection, kubeconfig: flags.kubeconfig ?? clientConnection.kubeconfig },
  }
}

function checkKubeconfig(file: string): void {
  if (file === '') throw new Error('no cluster is named: give --kubeconfig, or clientConnection.kubeconfig in the configuration')
  if (statSync(file, { throwIfNoEntry: false }) === undefined) throw new Error(`stat ${file}: no such file or directory`)
}
