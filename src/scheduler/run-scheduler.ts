import { hostname } from 'node:os'
import { systemClock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import { systemRandom } from '../base/random.ts'
import { parseGoDuration } from '../machinery/go/go-duration.ts'
import { createClient } from '../sdk/client/create-client.ts'
import { httpsTransport } from '../sdk/client/https.ts'
import { loadKubeconfigFile } from '../sdk/client/kubeconfig.ts'
import { runWithLeaderElection } from '../sdk/controller/leader-election.ts'
import type { CompleteConfiguration } from './config/complete.ts'
import { ConfigurationError } from './config/configuration-error.ts'
import { createScheduler } from './scheduler.ts'

/** client-go's: a leader renews so much less often than it may, so that not all do so at once. */
const JITTER = 1.2

/**
 * Runs a scheduler against the cluster of its configuration's kubeconfig, until the signal is aborted. With leader election it schedules
 * only while it holds the lease, and fails when it loses it, as kube-scheduler does.
 * @param folder where relative paths of the configuration's plugins begin
 */
export async function runScheduler(configuration: CompleteConfiguration, log: Logger, signal: AbortSignal, folder?: string): Promise<void> {
  const { leaderElection: election, clientConnection } = configuration
  const ms = (text: string) => parseGoDuration(text) ?? 0
  if (election.leaderElect && ms(election.renewDeadline) <= ms(election.retryPeriod) * JITTER)
    throw new ConfigurationError("couldn't create leader elector: renewDeadline must be greater than retryPeriod*JitterFactor")
  const context = await loadKubeconfigFile(clientConnection.kubeconfig)
  await using transport = httpsTransport({ ...context, userAgent: 'kube-scheduler' })
  const client = createClient(transport)
  const [clock, random] = [systemClock, systemRandom()]
  const host = hostname()
  const config = { client, clock, random, log, host, config: configuration, ...(folder === undefined ? {} : { folder }) }
  // Awaited here: the transport is released when this function returns.
  if (!election.leaderElect) return await createScheduler(config).run(signal)
  const scheduler = createScheduler(config)
  await runWithLeaderElection(
    {
      client,
      clock,
      random,
      log,
      lease: { namespace: election.resourceNamespace, name: election.resourceName },
      identity: `${host}_${random.uuid()}`,
      leaseDurationMs: ms(election.leaseDuration),
      renewDeadlineMs: ms(election.renewDeadline),
      retryPeriodMs: ms(election.retryPeriod),
      lead: (term) => scheduler.run(term),
    },
    signal,
  )
  if (!signal.aborted) throw new Error('leaderelection lost')
}
