import { Command } from 'commander'
import { defaultDataDir } from '../cluster/config.ts'
import { changeNodeDevice } from '../cluster/nodes/change-node-device.ts'
import { reportFailure } from './report-failure.ts'

/** `bowsprit device`: adds, removes, fails and recovers the described devices of a node. */
export function deviceCommand(): Command {
  const command = new Command('device').description('change the described devices of a running node (devices.yaml)')
  const verbs = [
    ['fail', 'make a device unhealthy: it is counted in the capacity, and not allocated'],
    ['recover', 'make a device healthy again'],
    ['add', 'plug a device in'],
    ['remove', 'pull a device out'],
  ] as const
  for (const [verb, description] of verbs) {
    command
      .command(verb)
      .description(description)
      .argument('<node>', 'node-1')
      .argument('<device>', 'the resource and the number: example.com/dongle-0')
      .option('--kubeconfig <file>', 'the cluster (default: KUBECONFIG, or the kubeconfig of the default cluster)')
      .action(async (node: string, device: string, flags: { readonly kubeconfig?: string }) => {
        const file = flags.kubeconfig ?? process.env.KUBECONFIG ?? `${defaultDataDir(process.env)}/kubeconfig`
        try {
          await changeNodeDevice(file, { node, verb, device })
          console.log(`${device} of ${node}: ${verb}`)
        } catch (error) {
          reportFailure('device', error)
        }
      })
  }
  return command
}
