import { type Clock, holding } from '../../base/clock.ts'
import { messageOf } from '../../base/message-of.ts'
import { type ClusterConfig, ConfigError } from '../config.ts'
import { featureGates } from '../feature-gates.ts'

interface Configured {
  readonly config: ClusterConfig
  readonly clock: Clock
}

/** The configuration of the scheduler that the options name: its own, or the one that a policy amounts to. */
export async function schedulerConfiguration({ config, clock }: Configured) {
  const { schedulerPolicy, schedulerConfig = {} } = config
  if (schedulerPolicy === undefined) return schedulerConfig
  const load = () => Promise.all([import('../../scheduler/legacy/policy.ts'), import('../../scheduler/legacy/translate.ts')])
  const [{ readPolicy }, { translateLegacy }] = await holding(clock, 'loading the policy', load)
  return translateLegacy({ policy: readPolicy(schedulerPolicy) })
}

/** Reads what the options say of the scheduler, so that a mistake is reported before the cluster is up. @throws {ConfigError} */
export async function checkSchedulerConfiguration({ config, clock }: Configured): Promise<void> {
  const option = config.schedulerPolicy !== undefined ? '--scheduler-policy' : '--scheduler-config'
  if (config.schedulerPolicy === undefined && config.schedulerConfig === undefined) return
  const load = () =>
    Promise.all([import('../../scheduler/config/configuration.ts'), import('../../scheduler/external/try-configuration.ts')])
  const [{ readConfiguration }, { tryConfiguration }] = await holding(clock, 'loading the configuration of the scheduler', load)
  try {
    tryConfiguration(readConfiguration(await schedulerConfiguration({ config, clock }), featureGates(config)), process.cwd())
  } catch (error) {
    throw new ConfigError(`${option}: ${messageOf(error)}`, { cause: error })
  }
}
