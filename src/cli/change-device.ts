import { Command } from 'commander'
import { clusterNode } from '../cluster/nodes/cluster-node.ts'
import { createClient } from '../sdk/client/create-client.ts'
import { httpsTransport } from '../sdk/client/https.ts'
import { kubeconfigOf } from './kubeconfig-file.ts'
import { existingFile, word } from './option-values.ts'
import { reportFailure } from './report-failure.ts'

const VERBS = [
  ['fail', 'make a described device (devices.yaml) of a running node unhealthy: it is counted in the capacity, and not allocated'],
  ['recover', 'make a described device healthy again'],
  ['add', 'plug a described device in'],
  ['remove', 'pull a described device out'],
] as const

/** `bowsprit devices fail|recover|add|remove`: change the described devices of a running node. */
export const changeDeviceCommands = (): readonly Command[] =>
  VERBS.map(([verb, description]) =>
    new Command(verb)
      .description(description)
      .argument('<node>', 'node-1', word)
      .argument('<device>', 'the resource and the number: example.com/dongle-0', word)
      .option(
        '--kubeconfig <file>',
        'the cluster (default: $KUBECONFIG, ~/.kube/config, or the one that "bowsprit up" writes)',
        existingFile,
      )
      .action(async (node: string, device: string, flags: { readonly kubeconfig?: string }) => {
        try {
          await using transport = httpsTransport(await kubeconfigOf(flags))
          await clusterNode(node, createClient(transport)).devices[verb](device)
          console.log(`${device} of ${node}: ${verb}`)
        } catch (error) {
          reportFailure(`devices ${verb}`, error)
        }
      }),
  )
