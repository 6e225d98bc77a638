import { readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Command } from 'commander'
import { systemClock } from '../base/clock.ts'
import { messageOf } from '../base/message-of.ts'
import { encodeYaml } from '../machinery/yaml/yaml.ts'
import { type CompleteConfiguration, writtenConfiguration } from '../scheduler/config/complete.ts'
import { readConfiguration, type SchedulerConfiguration } from '../scheduler/config/configuration.ts'
import { readRegistrations } from '../scheduler/external/read-registrations.ts'
import { tryConfiguration } from '../scheduler/external/try-configuration.ts'
import { readPolicy } from '../scheduler/legacy/policy.ts'
import { translateLegacy } from '../scheduler/legacy/translate.ts'
import { runScheduler } from '../scheduler/run-scheduler.ts'
import { loadKubeconfigFile } from '../sdk/client/kubeconfig.ts'
import { checkTogether, type FlagRules } from './flags-together.ts'
import { type LogFlags, loggerOf, withLogOptions } from './log-options.ts'
import { existingFile, word, writableFile } from './option-values.ts'
import { readOptionFile } from './read-option-file.ts'
import { reporting, UsageError } from './report-failure.ts'
import { stopSignal } from './stop-signal.ts'

interface SchedulerFlags extends LogFlags {
  readonly config?: string
  readonly kubeconfig?: string
  readonly schedulerName?: string
  readonly algorithmProvider?: string
  readonly policyConfigFile?: string
  readonly algorithmModule?: string
  readonly leaderElect?: boolean
  readonly writeConfigTo?: string
}

/** `bowsprit scheduler`: a scheduler as a separate process, for Bowsprit or any other cluster. */
export function schedulerCommand(): Command {
  const command = new Command('scheduler')
    .description('run only a scheduler, for any cluster, until Ctrl-C')
    .option('--config <file>', 'a KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1)', existingFile)
    .option('--kubeconfig <file>', 'the cluster (default: clientConnection.kubeconfig of --config)', word)
    .option('--scheduler-name <name>', 'without --config: schedule pods with this schedulerName (default: default-scheduler)', word)
    .option(
      '--algorithm-provider <name>',
      'without --config: DefaultProvider, ClusterAutoscalerProvider, or one that --algorithm-module registers',
      word,
    )
    .option('--policy-config-file <file>', 'without --config: a Policy (v1) of predicates, priorities and extenders', existingFile)
    .option(
      '--algorithm-module <file>',
      'a module that registers predicates, priorities, providers or algorithms (bowsprit/scheduler-plugin)',
      existingFile,
    )
    .option('--leader-elect', 'schedule only while holding the lease (overrides the configuration)')
    .option('--no-leader-elect', 'schedule without a lease (overrides the configuration)')
    .option('--write-config-to <file>', 'write the complete configuration, defaults included, and exit', writableFile)
  return withLogOptions(command).action(schedule)
}

const schedule = (flags: SchedulerFlags): Promise<void> =>
  reporting('scheduler', async () => {
    const configuration = await configurationOf(flags).catch(asMistake)
    const folder = flags.config === undefined ? process.cwd() : path.dirname(path.resolve(flags.config))
    if (flags.writeConfigTo !== undefined) {
      tryConfiguration(configuration, folder)
      writeFileSync(flags.writeConfigTo, encodeYaml(writtenConfiguration(configuration)))
      return
    }
    await checkKubeconfig(configuration.clientConnection.kubeconfig)
    console.log(`scheduling pods of ${configuration.profiles.map((p) => p.schedulerName).join(', ')}`)
    const stop = new AbortController()
    void stopSignal().then(() => stop.abort())
    await runScheduler(configuration, loggerOf(flags), stop.signal, folder)
  })

function asMistake(error: unknown): never {
  throw error instanceof UsageError ? error : new UsageError(messageOf(error), { cause: error })
}

/** A configuration file says what the older flags say. */
const RULES: FlagRules<keyof SchedulerFlags> = {
  notTogether: [
    ['schedulerName', 'config'],
    ['algorithmProvider', 'config'],
    ['policyConfigFile', 'config'],
    ['algorithmModule', 'config'],
    ['algorithmProvider', 'policyConfigFile'],
  ],
}

async function configurationOf(flags: SchedulerFlags): Promise<CompleteConfiguration> {
  const { config } = flags
  checkTogether((name) => flags[name] !== undefined, RULES)
  const read = config === undefined ? readConfiguration(await legacyConfiguration(flags)) : await readConfig(config)
  const { leaderElection, clientConnection } = read
  return {
    ...read,
    leaderElection: { ...leaderElection, leaderElect: flags.leaderElect ?? leaderElection.leaderElect },
    clientConnection: { ...clientConnection, kubeconfig: flags.kubeconfig ?? clientConnection.kubeconfig },
  }
}

const readConfig = (given: string) => readOptionFile('--config', given, (file) => readConfiguration(readFileSync(file, 'utf8')))

/** The older flags as a current configuration. */
async function legacyConfiguration(flags: SchedulerFlags): Promise<SchedulerConfiguration> {
  const { schedulerName, algorithmProvider, policyConfigFile, algorithmModule } = flags
  return translateLegacy({
    ...(schedulerName === undefined ? {} : { schedulerName }),
    ...(algorithmProvider === undefined ? {} : { algorithmProvider }),
    ...(policyConfigFile !== undefined && { policy: await readOptionFile('--policy-config-file', policyConfigFile, policyIn) }),
    ...(algorithmModule !== undefined && { module: await readOptionFile('--algorithm-module', algorithmModule, registrationsIn) }),
  })
}

const policyIn = (file: string) => readPolicy(readFileSync(file, 'utf8'))
const registrationsIn = (file: string) => readRegistrations(file, systemClock)

async function checkKubeconfig(file: string): Promise<void> {
  if (file === '') throw new UsageError('no cluster is named: give --kubeconfig, or clientConnection.kubeconfig in the configuration')
  if (statSync(file, { throwIfNoEntry: false }) === undefined) throw new UsageError(`stat ${file}: no such file or directory`)
  await readOptionFile('--kubeconfig', file, (named) => loadKubeconfigFile(named))
}
