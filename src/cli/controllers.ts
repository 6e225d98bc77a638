import { Command } from 'commander'
import { keepAlive, systemClock } from '../base/clock.ts'
import { messageOf } from '../base/message-of.ts'
import { systemRandom } from '../base/random.ts'
import { createControllers } from '../controllers/frame/controller-set.ts'
import { createClient } from '../sdk/client/create-client.ts'
import { httpsTransport } from '../sdk/client/https.ts'
import { loadKubeconfigFile } from '../sdk/client/kubeconfig.ts'
import { stderrLogger } from './stderr-logger.ts'
import { stopSignal } from './stop-signal.ts'

interface ControllersFlags {
  readonly kubeconfig: string
  readonly verbose?: boolean
}

/** `bowsprit controllers`: the controllers as a process of their own, beside `bowsprit apiserver` or any other API server. */
export function controllersCommand(): Command {
  return new Command('controllers')
    .description('run the controllers as a process of their own, against any cluster, until Ctrl-C')
    .requiredOption('--kubeconfig <file>', 'the cluster, and a user who may do everything in it')
    .option('-v, --verbose', 'log everything to standard error, not only what went wrong')
    .action(control)
}

async function control(flags: ControllersFlags): Promise<void> {
  const stop = new AbortController()
  void stopSignal().then(() => stop.abort())
  const rest = keepAlive()
  try {
    const config = await loadKubeconfigFile(flags.kubeconfig)
    const log = stderrLogger(flags.verbose === true ? 'debug' : 'warn')
    await using transport = httpsTransport(config)
    const opened = new Map<string, ReturnType<typeof httpsTransport>>()
    const clientOf = (name: string) => {
      const groups = ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated']
      const one = httpsTransport({ ...config, impersonate: { user: `system:serviceaccount:kube-system:${name}`, groups } })
      opened.set(name, one)
      return createClient(one)
    }
    const deps = { client: createClient(transport), clientOf, clock: systemClock, random: systemRandom(), log }
    await createControllers({ ca: config.ca ?? '' }, deps).run(stop.signal)
    for (const one of opened.values()) await one[Symbol.asyncDispose]()
  } catch (error) {
    console.error(`bowsprit controllers: ${messageOf(error)}`)
    process.exitCode = 1
  } finally {
    rest()
  }
}
